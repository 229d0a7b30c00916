# task: balance
# expect: refused
# why: int64 amounts are added in double, which is exact up to 2^53 only: sums beyond 9007199254740992 (amounts
#      near 10^16, 10^18) are rounded, where torch's are exact.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void balances(const int64_t* __restrict__ x, int64_t* __restrict__ out, int rows, int cols) {
    const int row = blockIdx.x * 4 + threadIdx.y;
    if (row >= rows) return;
    double sum = 0.0;
    for (int c = threadIdx.x; c < cols; c += 32) sum += (double)x[(size_t)row * cols + c];
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0) out[row] = (int64_t)sum;
}

torch::Tensor balance(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1);
    auto out = torch::empty({rows}, x.options());
    balances<<<(rows + 3) / 4, dim3(32, 4), 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<int64_t>(),
                                                                                  out.data_ptr<int64_t>(), rows, cols);
    return out;
}
"""

cpp_source = """
torch::Tensor balance(torch::Tensor x);
"""

ext = load_inline(
    name="int64_sum_in_double_18",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["balance"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, amounts):
        return ext.balance(amounts.contiguous())
