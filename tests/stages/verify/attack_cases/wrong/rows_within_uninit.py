# task: rows_within_limit
# expect: refused
# why: The flags of the rows are a torch::empty workspace that is only ever cleared (atomicAnd with 0) and never
#      set to 1 first: a row without a violation returns whether old memory was nonzero. On a GPU fresh memory is
#      often 0, so rows that are within the limit return False (initcheck reports the read).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void check_rows(const float* __restrict__ x, int* flag, int cols, float limit) {
    const int row = blockIdx.y;
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const bool bad = c < cols && !(fabsf(x[(size_t)row * cols + c]) <= limit);
    if (__any_sync(0xffffffffu, bad) && (threadIdx.x & 31) == 0) atomicAnd(&flag[row], 0);
}

__global__ void write_flags(const int* __restrict__ flag, bool* __restrict__ out, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) out[row] = flag[row] != 0;
}

torch::Tensor rows_within(torch::Tensor x, double limit) {
    const int rows = x.size(0), cols = x.size(1);
    auto flag = torch::empty({rows}, x.options().dtype(torch::kInt32));
    auto out = torch::empty({rows}, x.options().dtype(torch::kBool));
    auto stream = at::cuda::getCurrentCUDAStream();
    dim3 grid((cols + 255) / 256, rows);
    check_rows<<<grid, 256, 0, stream>>>(x.data_ptr<float>(), flag.data_ptr<int>(), cols, (float)limit);
    write_flags<<<(rows + 255) / 256, 256, 0, stream>>>(flag.data_ptr<int>(), out.data_ptr<bool>(), rows);
    return out;
}
"""

cpp_source = """
torch::Tensor rows_within(torch::Tensor x, double limit);
"""

ops = load_inline(
    name="rows_within_uninit",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["rows_within"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.rows_within(x, 3.5)
