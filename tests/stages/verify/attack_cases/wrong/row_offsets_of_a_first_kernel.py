# task: large_embedding
# expect: refused
# why: A first kernel writes the offset of each token's row as a 32-bit number, and a second one adds it to the
#      table's address: from token 131072 on, the number is negative.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void find_rows(const int64_t* __restrict__ tokens, int* __restrict__ rows, int size, int hidden) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) rows[i] = static_cast<int>(tokens[i]) * hidden;
}

__global__ void copy_rows(const int* __restrict__ rows, const float* __restrict__ table, float* __restrict__ y, int hidden,
                          float scale) {
    const float* const row = table + rows[blockIdx.x];
    for (int c = threadIdx.x; c < hidden; c += blockDim.x) y[(size_t)blockIdx.x * hidden + c] = row[c] * scale;
}

torch::Tensor embedding(torch::Tensor tokens, torch::Tensor table, double scale) {
    const int hidden = table.size(1);
    auto y = torch::empty({tokens.size(0), tokens.size(1), hidden}, table.options());
    auto rows = torch::empty({tokens.numel()}, tokens.options().dtype(torch::kInt32));
    const int size = tokens.numel();
    auto stream = at::cuda::getCurrentCUDAStream();
    find_rows<<<(size + 127) / 128, 128, 0, stream>>>(tokens.data_ptr<int64_t>(), rows.data_ptr<int>(), size, hidden);
    copy_rows<<<size, 256, 0, stream>>>(rows.data_ptr<int>(), table.data_ptr<float>(), y.data_ptr<float>(), hidden,
                                        (float)scale);
    return y;
}
"""

cpp_source = """
torch::Tensor embedding(torch::Tensor tokens, torch::Tensor table, double scale);
"""

ext = load_inline(
    name="row_offsets_of_a_first_kernel",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["embedding"],
)


class ModelNew(nn.Module):
    def __init__(self, vocabulary, hidden):
        super().__init__()
        self.table = nn.Embedding(vocabulary, hidden)
        self.scale = hidden ** 0.5

    def forward(self, tokens):
        return ext.embedding(tokens.contiguous(), self.table.weight, self.scale)
