# task: residual_leaky_bf16
# expect: correct
# why: style: __nv_bfloat162 pairs with an odd last element, float arithmetic with the reference's rounding between the
#      two operators, cudaStream_t from c10.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_bf16.h>

__device__ __forceinline__ __nv_bfloat16 add_leaky(__nv_bfloat16 a, __nv_bfloat16 b, float slope) {
    // x + y is rounded to bfloat16 before the activation, as by two operators.
    const float s = __bfloat162float(__float2bfloat16(__bfloat162float(a) + __bfloat162float(b)));
    return __float2bfloat16(s > 0.f ? s : s * slope);
}

__global__ void add_leaky_kernel(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ y,
                                 __nv_bfloat16* __restrict__ out, int64_t n, float slope) {
    const int64_t pairs = n / 2;
    const __nv_bfloat162* x2 = reinterpret_cast<const __nv_bfloat162*>(x);
    const __nv_bfloat162* y2 = reinterpret_cast<const __nv_bfloat162*>(y);
    __nv_bfloat162* out2 = reinterpret_cast<__nv_bfloat162*>(out);
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs) {
        const __nv_bfloat162 a = x2[i], b = y2[i];
        __nv_bfloat162 r;
        r.x = add_leaky(a.x, b.x, slope);
        r.y = add_leaky(a.y, b.y, slope);
        out2[i] = r;
    } else if (i == pairs && n % 2 == 1) {
        out[n - 1] = add_leaky(x[n - 1], y[n - 1], slope);
    }
}

at::Tensor add_leaky_relu(const at::Tensor& x, const at::Tensor& y, double slope) {
    TORCH_CHECK(x.scalar_type() == at::kBFloat16 && y.scalar_type() == at::kBFloat16, "bfloat16 expected");
    TORCH_CHECK(x.is_contiguous() && y.is_contiguous() && x.sizes().equals(y.sizes()));
    at::Tensor out = at::empty(x.sizes(), x.options());
    const int64_t n = x.numel();
    const int threads = 256;
    const unsigned blocks = static_cast<unsigned>(((n + 1) / 2 + threads - 1) / threads);
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream().stream();
    add_leaky_kernel<<<blocks, threads, 0, stream>>>(
        reinterpret_cast<const __nv_bfloat16*>(x.data_ptr<at::BFloat16>()),
        reinterpret_cast<const __nv_bfloat16*>(y.data_ptr<at::BFloat16>()),
        reinterpret_cast<__nv_bfloat16*>(out.data_ptr<at::BFloat16>()), n, static_cast<float>(slope));
    return out;
}
"""

_ext = load_inline(
    name="add_leaky_bf16",
    cpp_sources="at::Tensor add_leaky_relu(const at::Tensor& x, const at::Tensor& y, double slope);",
    cuda_sources=cuda_src,
    functions=["add_leaky_relu"],
)


class ModelNew(nn.Module):
    def __init__(self, slope):
        super().__init__()
        self.slope = float(slope)

    def forward(self, x, y):
        return _ext.add_leaky_relu(x.contiguous(), y.contiguous(), self.slope)
