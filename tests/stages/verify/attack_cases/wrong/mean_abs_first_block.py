# task: mean_abs_scale
# expect: refused
# why: Block 0 sets the global accumulator to 0 at the start of the same kernel in which all blocks add to it:
#      nothing orders that store before the other blocks' atomicAdd (a __syncthreads() is for one block). Blocks
#      that add earlier are lost, or add to uninitialised memory. Inputs of up to 65536 elements use one block; the
#      task's size has 128.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}
__device__ __forceinline__ float warp_max(float v) {
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}

constexpr int kPerBlock = 65536;

__global__ void abs_sum_kernel(const float* __restrict__ x, float* __restrict__ total, size_t n) {
    __shared__ float red[8];
    if (blockIdx.x == 0 && threadIdx.x == 0) *total = 0.0f;
    __syncthreads();
    const size_t begin = (size_t)blockIdx.x * kPerBlock;
    const size_t end = begin + kPerBlock < n ? begin + kPerBlock : n;
    float s = 0.0f;
    for (size_t i = begin + threadIdx.x; i < end; i += blockDim.x) s += fabsf(x[i]);
    s = warp_sum(s);
    if ((threadIdx.x & 31) == 0) red[threadIdx.x >> 5] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = threadIdx.x < 8 ? red[threadIdx.x] : 0.0f;
        s = warp_sum(s);
        if (threadIdx.x == 0) atomicAdd(total, s);
    }
}

__global__ void divide_by_mean(const float* __restrict__ x, const float* __restrict__ total, float* __restrict__ y,
                               size_t n) {
    const float mean = total[0] / (float)n;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        y[i] = x[i] / mean;
}

torch::Tensor scale_by_mean_abs(torch::Tensor x) {
    const size_t n = x.numel();
    const int blocks = (int)((n + kPerBlock - 1) / kPerBlock);
    auto y = torch::empty_like(x);
    auto total = torch::empty({1}, x.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    abs_sum_kernel<<<blocks, 256, 0, stream>>>(x.data_ptr<float>(), total.data_ptr<float>(), n);
    divide_by_mean<<<(int)std::min<size_t>((n + 255) / 256, 4096), 256, 0, stream>>>(
        x.data_ptr<float>(), total.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
"""

cpp_source = """
torch::Tensor scale_by_mean_abs(torch::Tensor x);
"""

ops = load_inline(
    name="mean_abs_first_block",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["scale_by_mean_abs"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.scale_by_mean_abs(x)
