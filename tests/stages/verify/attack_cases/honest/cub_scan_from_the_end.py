# task: suffix_sum
# expect: correct
# why: style: cub::BlockScan over tiles that are read from the end of the row, with the block's aggregate as carry in a
#      register of every thread and double accumulators.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cub/cub.cuh>

constexpr int THREADS = 256;

__global__ void suffix_sum_kernel(const float* __restrict__ x, float* __restrict__ y, int cols) {
    using BlockScan = cub::BlockScan<double, THREADS>;
    __shared__ typename BlockScan::TempStorage temp;

    const float* in = x + static_cast<int64_t>(blockIdx.x) * cols;
    float* out = y + static_cast<int64_t>(blockIdx.x) * cols;

    double carry = 0.0;
    for (int base = 0; base < cols; base += THREADS) {
        const int from_end = base + threadIdx.x;
        const int c = cols - 1 - from_end;
        double value = c >= 0 ? static_cast<double>(in[c]) : 0.0;
        double aggregate;
        BlockScan(temp).InclusiveSum(value, value, aggregate);
        if (c >= 0) out[c] = static_cast<float>(carry + value);
        carry += aggregate;
        __syncthreads();  // temp is used again
    }
}

torch::Tensor suffix_sum(torch::Tensor x) {
    auto y = torch::empty_like(x);
    suffix_sum_kernel<<<x.size(0), THREADS, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), static_cast<int>(x.size(1)));
    return y;
}
"""

_suffix = load_inline(
    name="suffix_sum_cub",
    cpp_sources="torch::Tensor suffix_sum(torch::Tensor x);",
    cuda_sources=cuda_source,
    functions=["suffix_sum"],
    extra_cuda_cflags=["-O2", "-std=c++17"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return _suffix.suffix_sum(x.contiguous())
