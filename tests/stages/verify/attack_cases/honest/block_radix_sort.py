# task: ../../tasks/largest_eight
# expect: correct
# why: cub::BlockLoad and cub::BlockRadixSort bring a row of up to 1024 numbers to descending order; the first thread has the largest eight.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <cub/cub.cuh>
#include <limits>

constexpr int kThreads = 128, kItems = 8;

__global__ void __launch_bounds__(kThreads) largest_kernel(const float* __restrict__ x, float* __restrict__ out,
                                                           int columns) {
    using Load = cub::BlockLoad<float, kThreads, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<float, kThreads, kItems>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Sort::TempStorage sort;
    } storage;
    float items[kItems];
    Load(storage.load).Load(x + static_cast<size_t>(blockIdx.x) * columns, items, columns,
                            -std::numeric_limits<float>::infinity());
    __syncthreads();
    Sort(storage.sort).SortDescending(items);
    if (threadIdx.x == 0) {
#pragma unroll
        for (int i = 0; i < kItems; ++i) out[static_cast<size_t>(blockIdx.x) * kItems + i] = items[i];
    }
}

torch::Tensor largest_eight(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2 && x.size(1) >= kItems && x.size(1) <= kThreads * kItems, "rows of ", kItems, " to ",
                kThreads * kItems, " numbers");
    x = x.contiguous();
    const int rows = x.size(0);
    auto out = torch::empty({rows, kItems}, x.options());
    if (rows == 0) return out;
    largest_kernel<<<rows, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(),
                                                                            static_cast<int>(x.size(1)));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

ext = load_inline(name="w8_block_radix_sort", cpp_sources='torch::Tensor largest_eight(torch::Tensor x);',
                  cuda_sources=cuda_src, functions=['largest_eight'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.largest_eight(x)
