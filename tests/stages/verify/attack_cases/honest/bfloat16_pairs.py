# task: ../../tasks/swiglu_bfloat16
# expect: correct
# why: pairs of bfloat16 where the halves of a row are even, computed in float with torch's rounding after silu; single elements otherwise; traits choose the loads.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_bf16.h>
#include <algorithm>
#include <type_traits>

template <typename Vector>
__device__ __forceinline__ Vector swiglu(Vector gate, Vector value);

__device__ __forceinline__ float rounded_silu(float g) {
    return __bfloat162float(__float2bfloat16_rn(g / (1.0f + expf(-g))));
}

template <>
__device__ __forceinline__ __nv_bfloat16 swiglu(__nv_bfloat16 gate, __nv_bfloat16 value) {
    return __float2bfloat16_rn(rounded_silu(__bfloat162float(gate)) * __bfloat162float(value));
}

template <>
__device__ __forceinline__ __nv_bfloat162 swiglu(__nv_bfloat162 gate, __nv_bfloat162 value) {
    const float2 g = __bfloat1622float2(gate), v = __bfloat1622float2(value);
    return __floats2bfloat162_rn(rounded_silu(g.x) * v.x, rounded_silu(g.y) * v.y);
}

// `hidden`: the vectors of half a row.
template <typename Vector>
__global__ void swiglu_kernel(const Vector* __restrict__ x, Vector* __restrict__ y, int64_t total, int hidden) {
    static_assert(std::is_trivially_copyable_v<Vector> && !std::is_same_v<Vector, float>);
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < total;
         i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
        const int64_t row = i / hidden, column = i % hidden;
        const Vector* gate = x + row * 2 * hidden + column;
        y[i] = swiglu<Vector>(gate[0], gate[hidden]);
    }
}

template <typename Vector>
void launch(const torch::Tensor& x, const torch::Tensor& y, int hidden) {
    constexpr int kEach = sizeof(Vector) / sizeof(__nv_bfloat16);
    const int64_t total = y.numel() / kEach;
    const int blocks = static_cast<int>(std::min<int64_t>((total + 127) / 128, 4096));
    swiglu_kernel<Vector><<<blocks, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        reinterpret_cast<const Vector*>(x.data_ptr<at::BFloat16>()),
        reinterpret_cast<Vector*>(y.data_ptr<at::BFloat16>()), total, hidden / kEach);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

torch::Tensor swiglu_rows(torch::Tensor x) {
    TORCH_CHECK(x.scalar_type() == torch::kBFloat16 && x.dim() == 2 && x.size(1) % 2 == 0,
                "rows of an even number of bfloat16");
    x = x.contiguous();
    const int tokens = x.size(0), hidden = x.size(1) / 2;
    auto y = torch::empty({tokens, hidden}, x.options());
    if (y.numel() == 0) return y;
    const bool pairs = hidden % 2 == 0 && reinterpret_cast<uintptr_t>(x.data_ptr()) % alignof(__nv_bfloat162) == 0;
    if (pairs) {
        launch<__nv_bfloat162>(x, y, hidden);
    } else {
        launch<__nv_bfloat16>(x, y, hidden);
    }
    return y;
}
"""

ext = load_inline(name="w8_bfloat16_pairs", cpp_sources='torch::Tensor swiglu_rows(torch::Tensor x);',
                  cuda_sources=cuda_src, functions=['swiglu_rows'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.swiglu_rows(x)
