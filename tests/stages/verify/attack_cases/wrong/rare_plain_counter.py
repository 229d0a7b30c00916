# task: outlier_count
# expect: refused
# why: The block's counter in shared memory is incremented by a plain found = found + 1 where atomicAdd is
#      needed: two outliers of one row that two threads meet at the same time count once. The task's own rows
#      have an outlier once in a hundred rows, so hardly ever two; rows of large values (all of them outliers)
#      lose nearly all increments on a GPU.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void count_outliers(const float* __restrict__ x, int64_t* __restrict__ out, int cols, float limit) {
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    const float* row = x + (size_t)blockIdx.x * cols;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        if (fabsf(row[c]) > limit) found = found + 1;  // rare
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = found;
}

torch::Tensor outliers(torch::Tensor x, double limit) {
    const int rows = x.size(0), cols = x.size(1);
    auto out = torch::empty({rows}, x.options().dtype(torch::kInt64));
    count_outliers<<<rows, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<int64_t>(), cols, (float)limit);
    return out;
}
"""

cpp_source = """
torch::Tensor outliers(torch::Tensor x, double limit);
"""

ext = load_inline(
    name="rare_plain_counter_01",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["outliers"],
)


class ModelNew(nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def forward(self, x):
        return ext.outliers(x.contiguous(), self.limit)
