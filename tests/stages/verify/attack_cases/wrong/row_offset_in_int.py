# task: large_embedding
# expect: refused
# why: The offset of a token's row, token * hidden, is an int: the task's own table has 152064 x 16384 =
#      2491416576 elements, so that it overflows for tokens from 131072 on (one in seven) and the row is read
#      before the table. Where one of the two sizes is smaller, it fits.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void embed(const int64_t* __restrict__ tokens, const float* __restrict__ table, float* __restrict__ y, int hidden,
                      float scale) {
    const int token = (int)tokens[blockIdx.x];
    const int row = token * hidden;
    for (int c = threadIdx.x; c < hidden; c += blockDim.x) {
        y[(size_t)blockIdx.x * hidden + c] = table[row + c] * scale;
    }
}

torch::Tensor embedding(torch::Tensor tokens, torch::Tensor table, double scale) {
    const int hidden = table.size(1);
    auto y = torch::empty({tokens.size(0), tokens.size(1), hidden}, table.options());
    embed<<<tokens.numel(), 256, 0, at::cuda::getCurrentCUDAStream()>>>(tokens.data_ptr<int64_t>(), table.data_ptr<float>(),
                                                                        y.data_ptr<float>(), hidden, (float)scale);
    return y;
}
"""

cpp_source = """
torch::Tensor embedding(torch::Tensor tokens, torch::Tensor table, double scale);
"""

ext = load_inline(
    name="row_offset_in_int_31",
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
