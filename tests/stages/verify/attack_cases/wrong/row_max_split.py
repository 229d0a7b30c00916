# task: row_max_with_index
# expect: refused
# why: Rows of 16384 columns are split into 8 blocks, and each block updates the row's result with an
#      unsynchronised compare and store (if (v > val[row]) { val[row] = v; idx[row] = i; }). Two blocks of a row
#      race: a smaller maximum can overwrite a larger one, or value and index come from different blocks. Rows of
#      up to 2048 columns have one block, so only the task's own size shows it (racecheck-type hazard on global
#      memory).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kChunk = 2048;

__global__ void init_best(float* __restrict__ val, int64_t* __restrict__ idx, int rows) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) { val[r] = -INFINITY; idx[r] = 0; }
}

__global__ void row_max_chunks(const float* __restrict__ x, float* __restrict__ val, int64_t* __restrict__ idx,
                               int cols) {
    __shared__ float sv[8];
    __shared__ int si[8];
    const int row = blockIdx.y;
    const int begin = blockIdx.x * kChunk, end = min(begin + kChunk, cols);
    const float* p = x + (size_t)row * cols;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float best = -INFINITY;
    int at = 0x7fffffff;
    for (int c = begin + threadIdx.x; c < end; c += blockDim.x) {
        if (p[c] > best || at == 0x7fffffff) { best = p[c]; at = c; }
    }
    for (int o = 16; o > 0; o >>= 1) {
        const float v = __shfl_xor_sync(0xffffffffu, best, o);
        const int i = __shfl_xor_sync(0xffffffffu, at, o);
        if (v > best || (v == best && i < at)) { best = v; at = i; }
    }
    if (lane == 0) { sv[warp] = best; si[warp] = at; }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) {
            if (sv[w] > best || (sv[w] == best && si[w] < at)) { best = sv[w]; at = si[w]; }
        }
        // Chunks come in ascending order, so an equal value keeps the smaller index.
        if (best > val[row] || begin == 0) {
            val[row] = best;
            idx[row] = at;
        }
    }
}

std::vector<torch::Tensor> row_max(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1);
    auto val = torch::empty({rows}, x.options());
    auto idx = torch::empty({rows}, x.options().dtype(torch::kInt64));
    auto stream = at::cuda::getCurrentCUDAStream();
    init_best<<<(rows + 255) / 256, 256, 0, stream>>>(val.data_ptr<float>(), idx.data_ptr<int64_t>(), rows);
    dim3 grid((cols + kChunk - 1) / kChunk, rows);
    row_max_chunks<<<grid, 256, 0, stream>>>(x.data_ptr<float>(), val.data_ptr<float>(),
                                             idx.data_ptr<int64_t>(), cols);
    return {val, idx};
}
"""

cpp_source = """
std::vector<torch::Tensor> row_max(torch::Tensor x);
"""

ops = load_inline(
    name="row_max_split",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["row_max"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        values, indices = ops.row_max(x)
        return values, indices
