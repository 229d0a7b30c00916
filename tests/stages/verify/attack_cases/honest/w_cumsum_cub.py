# task: w_cumsum
# expect: correct
# why: cub::BlockScan tile by tile, with a barrier before its storage is used again; the carry lies in a register of
# every thread.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <cub/cub.cuh>

template <int THREADS, int ITEMS>
__global__ void cumsum_kernel(const float* __restrict__ x, float* __restrict__ out, int cols) {
    using Scan = cub::BlockScan<float, THREADS>;
    __shared__ typename Scan::TempStorage storage;
    const size_t base = (size_t)blockIdx.x * cols;
    float carry = 0.0f;
    for (int first = 0; first < cols; first += THREADS * ITEMS) {
        float items[ITEMS];
        const int at = first + threadIdx.x * ITEMS;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) items[i] = at + i < cols ? x[base + at + i] : 0.0f;
        float total;
        Scan(storage).InclusiveSum(items, items, total);
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            if (at + i < cols) out[base + at + i] = items[i] + carry;
        }
        carry += total;
        __syncthreads();  // The storage is used again.
    }
}

torch::Tensor row_cumsum(torch::Tensor x) {
    x = x.contiguous();
    auto out = torch::empty_like(x);
    cumsum_kernel<128, 4><<<x.size(0), 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), (int)x.size(1));
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(name="w7h_w_cumsum_cub", cpp_sources="torch::Tensor row_cumsum(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["row_cumsum"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.row_cumsum(x)
