# task: softmax_long
# expect: refused
# why: cub::BlockReduce is called once a tile in a loop with the same TempStorage and no __syncthreads() between
# two calls: warps that are ahead overwrite the partial sums that warp 0 still reads. With one tile (up to 2048
# columns) there is no second call; the task's 16384 columns have eight. Sometimes wrong on a GPU.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cub/cub.cuh>
#include <ATen/cuda/CUDAContext.h>

constexpr int THREADS = 256;
constexpr int TILE = 2048;

__global__ void max_kernel(const float* __restrict__ x, float* __restrict__ row_max, int cols) {
    __shared__ float s[THREADS];
    const float* row = x + (size_t)blockIdx.x * cols;
    float m = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += THREADS) m = fmaxf(m, row[c]);
    s[threadIdx.x] = m;
    __syncthreads();
    for (int o = THREADS / 2; o > 0; o >>= 1) {
        if (threadIdx.x < o) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + o]);
        __syncthreads();
    }
    if (threadIdx.x == 0) row_max[blockIdx.x] = s[0];
}

__global__ void softmax_kernel(const float* __restrict__ x, const float* __restrict__ row_max,
                               float* __restrict__ out, int cols) {
    using Reduce = cub::BlockReduce<float, THREADS>;
    __shared__ typename Reduce::TempStorage storage;
    __shared__ float row_sum;
    const float* row = x + (size_t)blockIdx.x * cols;
    const float m = row_max[blockIdx.x];
    float total = 0.0f;  // Only that of thread 0 counts.
    for (int first = 0; first < cols; first += TILE) {
        float v = 0.0f;
        for (int c = first + threadIdx.x; c < min(cols, first + TILE); c += THREADS) v += expf(row[c] - m);
        total += Reduce(storage).Sum(v);
    }
    if (threadIdx.x == 0) row_sum = total;
    __syncthreads();
    const float inverse = 1.0f / row_sum;
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        out[(size_t)blockIdx.x * cols + c] = expf(row[c] - m) * inverse;
    }
}

torch::Tensor softmax_rows(torch::Tensor x) {
    x = x.contiguous();
    const int rows = x.size(0), cols = x.size(1);
    auto row_max = torch::empty({rows}, x.options());
    auto out = torch::empty_like(x);
    auto stream = at::cuda::getCurrentCUDAStream();
    max_kernel<<<rows, THREADS, 0, stream>>>(x.data_ptr<float>(), row_max.data_ptr<float>(), cols);
    softmax_kernel<<<rows, THREADS, 0, stream>>>(x.data_ptr<float>(), row_max.data_ptr<float>(),
                                                 out.data_ptr<float>(), cols);
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(name="w7_cub_reuse", cpp_sources="torch::Tensor softmax_rows(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["softmax_rows"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.softmax_rows(x)
