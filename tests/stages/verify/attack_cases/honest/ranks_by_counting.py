# task: stable_sort
# expect: correct
# why: style: sort by counting for each element how many come before it (larger, or equal and earlier), the
#      row in dynamic shared memory, one scatter; works for any row that fits.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

extern __shared__ float shared_row[];

__global__ void rank_sort(const float* x, float* values, int64_t* indices, int cols) {
    const float* row = x + (long)blockIdx.x * cols;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        shared_row[i] = row[i];
    __syncthreads();

    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        const float v = shared_row[i];
        int rank = 0;
        for (int j = 0; j < cols; j++) {
            const float other = shared_row[j];   // all lanes read one word: a broadcast
            rank += (other > v) || (other == v && j < i);
        }
        values[(long)blockIdx.x * cols + rank] = v;
        indices[(long)blockIdx.x * cols + rank] = i;
    }
}

std::vector<torch::Tensor> sort_descending(torch::Tensor x) {
    int rows = x.size(0);
    int cols = x.size(1);
    TORCH_CHECK(cols * sizeof(float) <= 48 * 1024, "row too long: ", cols);
    auto values = torch::empty({rows, cols}, x.options());
    auto indices = torch::empty({rows, cols}, torch::TensorOptions().dtype(torch::kInt64).device(x.device()));
    rank_sort<<<rows, 256, cols * sizeof(float), at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), values.data_ptr<float>(), indices.data_ptr<int64_t>(), cols);
    return {values, indices};
}
"""

ext = load_inline(
    name="rank_sort_ext",
    cpp_sources="std::vector<torch::Tensor> sort_descending(torch::Tensor x);",
    cuda_sources=source,
    functions=["sort_descending"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return tuple(ext.sort_descending(x.contiguous()))
