# task: int32_row_sum
# expect: refused
# why: sums int32 in int, where torch sums in int64
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void row_sum_kernel(const int* __restrict__ x, int64_t* __restrict__ out, int cols) {
    __shared__ int part[8];
    const int* p = x + (size_t)blockIdx.x * cols;
    int sum = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += p[c];
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) sum += part[w];
        out[blockIdx.x] = sum;
    }
}

torch::Tensor row_sum(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1);
    auto out = torch::empty({rows}, x.options().dtype(torch::kInt64));
    row_sum_kernel<<<rows, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<int>(), out.data_ptr<int64_t>(), cols);
    return out;
}
"""

cpp_source = """
torch::Tensor row_sum(torch::Tensor x);
"""

ops = load_inline(
    name="row_sum_narrow",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["row_sum"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.row_sum(x)
