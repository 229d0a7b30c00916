# task: range_norm
# expect: correct
# why: the range is found on a stream of the pool while the mean is found on the current one; one event orders the
# inputs before the side stream, another one the range before the last kernel. A generic reduction with functors.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>

struct Sum {
    static constexpr float kStart = 0.0f;
    __device__ float operator()(float a, float b) const { return a + b; }
};
// Keep NaN, as torch does.
struct Largest {
    static constexpr float kStart = -INFINITY;
    __device__ float operator()(float a, float b) const { return a > b || a != a ? a : b; }
};
struct Smallest {
    static constexpr float kStart = INFINITY;
    __device__ float operator()(float a, float b) const { return a < b || a != a ? a : b; }
};

template <typename Op>
__device__ float block_reduce(float v, Op op, float* scratch) {
    for (int o = 16; o > 0; o >>= 1) v = op(v, __shfl_down_sync(0xffffffffu, v, o));
    __syncthreads();  // An earlier use of the scratch area has ended.
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
    __syncthreads();
    v = scratch[0];
    for (int w = 1; w < (int)blockDim.x / 32; ++w) v = op(v, scratch[w]);
    return v;
}

__global__ void range_kernel(const float* __restrict__ x, float* __restrict__ range, int cols) {
    __shared__ float scratch[32];
    const float* row = x + (size_t)blockIdx.x * cols;
    float high = Largest::kStart, low = Smallest::kStart;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        high = Largest()(high, row[c]);
        low = Smallest()(low, row[c]);
    }
    high = block_reduce(high, Largest(), scratch);
    low = block_reduce(low, Smallest(), scratch);
    if (threadIdx.x == 0) range[blockIdx.x] = high - low;
}

__global__ void mean_kernel(const float* __restrict__ x, float* __restrict__ mean, int cols) {
    __shared__ float scratch[32];
    const float* row = x + (size_t)blockIdx.x * cols;
    float s = Sum::kStart;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) s += row[c];
    s = block_reduce(s, Sum(), scratch);
    if (threadIdx.x == 0) mean[blockIdx.x] = s / (float)cols;
}

__global__ void apply_kernel(const float* __restrict__ x, const float* __restrict__ mean,
                             const float* __restrict__ range, float* __restrict__ out, int cols) {
    const int row = blockIdx.x;
    const float m = mean[row], r = range[row] + 1e-3f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        out[(size_t)row * cols + c] = (x[(size_t)row * cols + c] - m) / r;
    }
}

torch::Tensor range_norm(torch::Tensor x) {
    x = x.contiguous();
    const int rows = x.size(0), cols = x.size(1);
    auto mean = torch::empty({rows}, x.options());
    auto range = torch::empty({rows}, x.options());
    auto out = torch::empty_like(x);
    auto main = at::cuda::getCurrentCUDAStream();
    auto side = at::cuda::getStreamFromPool();
    at::cuda::CUDAEvent inputs, found;
    inputs.record(main);
    inputs.block(side);
    range_kernel<<<rows, 256, 0, side>>>(x.data_ptr<float>(), range.data_ptr<float>(), cols);
    found.record(side);
    mean_kernel<<<rows, 256, 0, main>>>(x.data_ptr<float>(), mean.data_ptr<float>(), cols);
    found.block(main);
    apply_kernel<<<rows, 256, 0, main>>>(x.data_ptr<float>(), mean.data_ptr<float>(),
                                         range.data_ptr<float>(), out.data_ptr<float>(), cols);
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(name="w7h_w_range_norm_streams", cpp_sources="torch::Tensor range_norm(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["range_norm"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.range_norm(x)
