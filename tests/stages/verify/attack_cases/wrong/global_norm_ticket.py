# task: global_norm_scale
# expect: refused
# why: The last block is found with atomicInc(&ticket, gridDim.x), which wraps after gridDim.x + 1 calls instead of
#      gridDim.x. The first forward() is right; the next starts at ticket = gridDim.x, so the first block gets that
#      number and no block gets gridDim.x - 1: norm[0] is not written (it is fresh memory) and the output is wrong
#      from the second call on. Inputs of up to 65536 elements use one block and no ticket; the task's size has 128
#      blocks.
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
__device__ unsigned int ticket = 0;

__device__ __forceinline__ float block_sum(float v) {
    __shared__ float red[8];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = warp_sum(v);
    __syncthreads();
    if (lane == 0) red[warp] = v;
    __syncthreads();
    v = lane < 8 ? red[lane] : 0.0f;
    return warp_sum(v);
}

__global__ void norm_kernel(const float* __restrict__ x, float* partial, float* __restrict__ norm, size_t n) {
    __shared__ bool last;
    const size_t begin = (size_t)blockIdx.x * kPerBlock;
    const size_t end = begin + kPerBlock < n ? begin + kPerBlock : n;
    float s = 0.0f;
    for (size_t i = begin + threadIdx.x; i < end; i += blockDim.x) s += x[i] * x[i];
    s = block_sum(s);
    if (gridDim.x == 1) {
        if (threadIdx.x == 0) norm[0] = sqrtf(s);
        return;
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s;
        __threadfence();
        last = atomicInc(&ticket, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        float t = 0.0f;
        for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) t += ((volatile float*)partial)[b];
        t = block_sum(t);
        if (threadIdx.x == 0) norm[0] = sqrtf(t);
    }
}

__global__ void divide_kernel(const float* __restrict__ x, const float* __restrict__ norm, float* __restrict__ y,
                              size_t n, float eps) {
    const float d = norm[0] + eps;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        y[i] = x[i] / d;
}

torch::Tensor scale_by_norm(torch::Tensor x, double eps) {
    const size_t n = x.numel();
    const int blocks = (int)((n + kPerBlock - 1) / kPerBlock);
    auto y = torch::empty_like(x);
    auto partial = torch::empty({blocks}, x.options());
    auto norm = torch::empty({1}, x.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    norm_kernel<<<blocks, 256, 0, stream>>>(x.data_ptr<float>(), partial.data_ptr<float>(),
                                            norm.data_ptr<float>(), n);
    divide_kernel<<<(int)std::min<size_t>((n + 255) / 256, 4096), 256, 0, stream>>>(
        x.data_ptr<float>(), norm.data_ptr<float>(), y.data_ptr<float>(), n, (float)eps);
    return y;
}
"""

cpp_source = """
torch::Tensor scale_by_norm(torch::Tensor x, double eps);
"""

ops = load_inline(
    name="global_norm_ticket",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["scale_by_norm"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.scale_by_norm(x, 1e-6)
