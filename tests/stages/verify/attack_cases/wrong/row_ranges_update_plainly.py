# task: column_amax
# expect: refused
# why: One kernel fills the result with -inf, a second one has a block for every 2048 rows, and these blocks
#      update out[c] by a plain load, fmaxf and store: at the task's own 65536 rows 32 blocks race for each
#      column, and a smaller maximum may overwrite a larger one. Up to 2048 rows there is one block a column.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
#include <cmath>
constexpr int kRange = 2048;

__global__ void fill(float* out, int cols) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) out[c] = -INFINITY;
}

__global__ void column_max(const float* __restrict__ x, float* out, int rows, int cols) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    const int last = min(rows, (int)(blockIdx.y + 1) * kRange);
    float best = -INFINITY;
    for (int r = blockIdx.y * kRange; r < last; ++r) best = fmaxf(best, x[(size_t)r * cols + c]);
    out[c] = fmaxf(out[c], best);
}

torch::Tensor column_amax(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1);
    auto out = torch::empty({cols}, x.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    const int blocks = (cols + 127) / 128;
    fill<<<blocks, 128, 0, stream>>>(out.data_ptr<float>(), cols);
    column_max<<<dim3(blocks, (rows + kRange - 1) / kRange), 128, 0, stream>>>(x.data_ptr<float>(),
                                                                              out.data_ptr<float>(), rows, cols);
    return out;
}
"""

cpp_source = """
torch::Tensor column_amax(torch::Tensor x);
"""

ext = load_inline(
    name="row_ranges_update_plainly_14",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["column_amax"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.column_amax(x.contiguous())
