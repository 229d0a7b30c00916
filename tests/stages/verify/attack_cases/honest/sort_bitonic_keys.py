# task: stable_sort_v
# expect: correct
# why: a bitonic network over 64-bit keys (the number as ordered bits above its index), so that equal numbers keep
# their order; -0 counts as 0 and NaN as the largest; padding sorts after everything.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <vector>

__device__ __forceinline__ unsigned long long key_of(float v, unsigned index) {
    if (v == 0.0f) v = 0.0f * 0.0f;  // -0 and 0 are equal.
    unsigned bits = __float_as_uint(v);
    bits = (bits & 0x80000000u) ? ~bits : (bits | 0x80000000u);
    if (isnan(v)) bits = 0xfffffffeu;
    return ((unsigned long long)bits << 32) | index;
}

__global__ void sort_kernel(const float* __restrict__ x, float* __restrict__ values,
                            int64_t* __restrict__ indices, int cols, int padded) {
    extern __shared__ unsigned long long keys[];
    const float* row = x + (size_t)blockIdx.x * cols;
    for (int i = threadIdx.x; i < padded; i += blockDim.x) {
        keys[i] = i < cols ? key_of(row[i], (unsigned)i) : 0xffffffffffffffffull;
    }
    __syncthreads();
    for (int size = 2; size <= padded; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            for (int pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
                const int low = 2 * pair - (pair & (step - 1)), high = low + step;
                const bool up = (low & size) == 0;
                const unsigned long long a = keys[low], b = keys[high];
                if ((a > b) == up) {
                    keys[low] = b;
                    keys[high] = a;
                }
            }
            __syncthreads();
        }
    }
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        const unsigned from = (unsigned)(keys[i] & 0xffffffffull);
        values[(size_t)blockIdx.x * cols + i] = row[from];
        indices[(size_t)blockIdx.x * cols + i] = from;
    }
}

std::vector<torch::Tensor> sort_rows(torch::Tensor x) {
    x = x.contiguous();
    const int rows = x.size(0), cols = x.size(1);
    int padded = 2;
    while (padded < cols) padded *= 2;
    TORCH_CHECK(padded <= 4096, "rows of at most 4096 numbers are expected");
    auto values = torch::empty_like(x);
    auto indices = torch::empty({rows, cols}, x.options().dtype(torch::kInt64));
    sort_kernel<<<rows, 256, padded * sizeof(unsigned long long), at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), values.data_ptr<float>(), indices.data_ptr<int64_t>(), cols, padded);
    C10_CUDA_CHECK(cudaGetLastError());
    return {values, indices};
}
"""

ext = load_inline(name="w7h_w_sort_bitonic_keys", cpp_sources="std::vector<torch::Tensor> sort_rows(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["sort_rows"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        values, indices = ext.sort_rows(x)
        return values, indices
