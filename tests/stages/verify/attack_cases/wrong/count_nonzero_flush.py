# task: count_nonzero_rows
# expect: refused
# contract: any_values
# why: Built with --use_fast_math, whose -ftz=true makes comparisons flush subnormal numbers: x != 0.0f is false
#      for 0 < |x| < 1.18e-38, which torch counts as nonzero. A row with subnormal elements (e.g. 1e-40) gets a
#      count that is too small.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void count_kernel(const float* __restrict__ x, int64_t* __restrict__ out, int rows, int cols) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    const float* p = x + (size_t)row * cols;
    int count = 0;
    for (int c = lane; c < cols; c += 32) count += p[c] != 0.0f ? 1 : 0;
    for (int o = 16; o > 0; o >>= 1) count += __shfl_down_sync(0xffffffffu, count, o);
    if (lane == 0) out[row] = count;
}

torch::Tensor count_nonzero(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1);
    auto out = torch::empty({rows}, x.options().dtype(torch::kInt64));
    count_kernel<<<(rows + 7) / 8, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<int64_t>(), rows, cols);
    return out;
}
"""

cpp_source = """
torch::Tensor count_nonzero(torch::Tensor x);
"""

ops = load_inline(
    name="count_nonzero_flush",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["count_nonzero"],
    extra_cuda_cflags=["-O3", "--use_fast_math"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.count_nonzero(x)
