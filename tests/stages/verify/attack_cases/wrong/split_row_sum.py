# task: softmax_long
# expect: refused
# why: the sum of a row is made by one block per 1024 columns, and each adds its part by a plain `+=` to memory
# that the 16 blocks of a row share (second launch). With one block a row it is right; at the task's own sizes
# blocks run at once and lose updates of each other.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cfloat>
#include <ATen/cuda/CUDAContext.h>

constexpr int COLUMNS = 1024;
constexpr int THREADS = 256;

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

__global__ void sum_kernel(const float* __restrict__ x, const float* __restrict__ row_max,
                           float* row_sum, int cols) {
    __shared__ float s[THREADS];
    const int row = blockIdx.y;
    const int first = blockIdx.x * COLUMNS, last = min(cols, first + COLUMNS);
    const float m = row_max[row];
    float v = 0.0f;
    for (int c = first + threadIdx.x; c < last; c += THREADS) v += expf(x[(size_t)row * cols + c] - m);
    s[threadIdx.x] = v;
    __syncthreads();
    for (int o = THREADS / 2; o > 0; o >>= 1) {
        if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
        __syncthreads();
    }
    if (threadIdx.x == 0) row_sum[row] += s[0];
}

__global__ void divide_kernel(const float* __restrict__ x, const float* __restrict__ row_max,
                              const float* __restrict__ row_sum, float* __restrict__ out, int cols) {
    const int row = blockIdx.y;
    const int c = blockIdx.x * THREADS + threadIdx.x;
    if (c >= cols) return;
    const size_t i = (size_t)row * cols + c;
    out[i] = expf(x[i] - row_max[row]) / row_sum[row];
}

torch::Tensor softmax_rows(torch::Tensor x) {
    x = x.contiguous();
    const int rows = x.size(0), cols = x.size(1);
    auto out = torch::empty_like(x);
    auto row_max = torch::empty({rows}, x.options());
    auto row_sum = torch::zeros({rows}, x.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    max_kernel<<<rows, THREADS, 0, stream>>>(x.data_ptr<float>(), row_max.data_ptr<float>(), cols);
    dim3 parts((cols + COLUMNS - 1) / COLUMNS, rows);
    sum_kernel<<<parts, THREADS, 0, stream>>>(x.data_ptr<float>(), row_max.data_ptr<float>(),
                                              row_sum.data_ptr<float>(), cols);
    dim3 tiles((cols + THREADS - 1) / THREADS, rows);
    divide_kernel<<<tiles, THREADS, 0, stream>>>(x.data_ptr<float>(), row_max.data_ptr<float>(),
                                                 row_sum.data_ptr<float>(), out.data_ptr<float>(), cols);
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(name="w7_split_sum", cpp_sources="torch::Tensor softmax_rows(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["softmax_rows"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.softmax_rows(x)
