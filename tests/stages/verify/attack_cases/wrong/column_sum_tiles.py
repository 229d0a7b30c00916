# task: column_sum_w
# expect: refused
# why: Blocks of different row ranges (gridDim.y = 8 at 4096 rows) add to the same out[c] with a plain out[c] +=
#      acc instead of atomicAdd: a read-modify-write race between blocks that loses row ranges. With up to 512 rows
#      there is one range and no race.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kRowsPerBlock = 512;

__global__ void zero_out(float* __restrict__ out, int cols) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) out[c] = 0.0f;
}

__global__ void column_sum_kernel(const float* __restrict__ x, float* __restrict__ out, int rows, int cols) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    const int begin = blockIdx.y * kRowsPerBlock;
    const int end = min(begin + kRowsPerBlock, rows);
    float a0 = 0.0f, a1 = 0.0f, a2 = 0.0f, a3 = 0.0f;
    int r = begin;
    for (; r + 3 < end; r += 4) {
        a0 += x[(size_t)r * cols + c];
        a1 += x[(size_t)(r + 1) * cols + c];
        a2 += x[(size_t)(r + 2) * cols + c];
        a3 += x[(size_t)(r + 3) * cols + c];
    }
    for (; r < end; ++r) a0 += x[(size_t)r * cols + c];
    out[c] += (a0 + a1) + (a2 + a3);
}

torch::Tensor column_sum(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1);
    auto out = torch::empty({cols}, x.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    const int tiles = (cols + 127) / 128;
    zero_out<<<tiles, 128, 0, stream>>>(out.data_ptr<float>(), cols);
    dim3 grid(tiles, (rows + kRowsPerBlock - 1) / kRowsPerBlock);
    column_sum_kernel<<<grid, 128, 0, stream>>>(x.data_ptr<float>(), out.data_ptr<float>(), rows, cols);
    return out;
}
"""

cpp_source = """
torch::Tensor column_sum(torch::Tensor x);
"""

ops = load_inline(
    name="column_sum_tiles",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["column_sum"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.column_sum(x)
