# task: ../../tasks/gelu_half
# expect: correct
# why: pairs of halves where the addresses allow them, computed in float, a tail of one, and a grid-stride loop.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_fp16.h>
#include <algorithm>
__device__ __forceinline__ float gelu(float x) {
    constexpr float kScale = 0.7978845608028654f, kCube = 0.044715f;
    return 0.5f * x * (1.0f + tanhf(kScale * fmaf(kCube * x * x, x, x)));
}

__global__ void gelu_kernel(const __half* __restrict__ x, __half* __restrict__ y, int64_t n) {
    const int64_t pairs = n / 2, step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const auto* in = reinterpret_cast<const __half2*>(x);
    auto* out = reinterpret_cast<__half2*>(y);
    for (int64_t i = first; i < pairs; i += step) {
        const float2 v = __half22float2(in[i]);
        out[i] = __floats2half2_rn(gelu(v.x), gelu(v.y));
    }
    if (first == 0 && n % 2 != 0) y[n - 1] = __float2half_rn(gelu(__half2float(x[n - 1])));
}

__global__ void gelu_single_kernel(const __half* __restrict__ x, __half* __restrict__ y, int64_t n) {
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        y[i] = __float2half_rn(gelu(__half2float(x[i])));
    }
}

torch::Tensor gelu_half(torch::Tensor x) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat16, "float16, not ", x.scalar_type());
    x = x.contiguous();
    auto y = torch::empty_like(x);
    const int64_t n = x.numel();
    if (n == 0) return y;
    const auto* in = reinterpret_cast<const __half*>(x.data_ptr<at::Half>());
    auto* out = reinterpret_cast<__half*>(y.data_ptr<at::Half>());
    const int threads = 128, blocks = static_cast<int>(std::min<int64_t>((n / 2 + threads) / threads, 1024));
    auto stream = at::cuda::getCurrentCUDAStream();
    if (reinterpret_cast<uintptr_t>(in) % sizeof(__half2) == 0) {
        gelu_kernel<<<blocks, threads, 0, stream>>>(in, out, n);
    } else {
        gelu_single_kernel<<<blocks, threads, 0, stream>>>(in, out, n);
    }
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}
"""

ext = load_inline(name="w8_half2_with_tail", cpp_sources='torch::Tensor gelu_half(torch::Tensor x);',
                  cuda_sources=cuda_src, functions=['gelu_half'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.gelu_half(x)
