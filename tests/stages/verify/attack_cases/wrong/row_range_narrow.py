# task: int64_row_range
# expect: refused
# why: keeps the minimum and maximum of int64 elements in int: those beyond 32 bits are cut
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void range_kernel(const int64_t* __restrict__ x, int64_t* __restrict__ out, int rows, int cols) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    const int64_t* p = x + (size_t)row * cols;
    int lo = (int)p[0], hi = (int)p[0];
    for (int c = lane; c < cols; c += 32) {
        const int v = (int)p[c];
        lo = min(lo, v);
        hi = max(hi, v);
    }
    for (int o = 16; o > 0; o >>= 1) {
        lo = min(lo, __shfl_xor_sync(0xffffffffu, lo, o));
        hi = max(hi, __shfl_xor_sync(0xffffffffu, hi, o));
    }
    if (lane == 0) out[row] = (int64_t)hi - (int64_t)lo;
}

torch::Tensor row_range(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1);
    auto out = torch::empty({rows}, x.options());
    range_kernel<<<(rows + 7) / 8, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<int64_t>(), out.data_ptr<int64_t>(), rows, cols);
    return out;
}
"""

cpp_source = """
torch::Tensor row_range(torch::Tensor x);
"""

ops = load_inline(
    name="row_range_narrow",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["row_range"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.row_range(x)
