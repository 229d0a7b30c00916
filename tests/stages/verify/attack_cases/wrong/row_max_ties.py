# task: row_max_with_index
# expect: refused
# why: In the kernel for rows of more than 1024 columns the lanes' results are merged by value only (other > best),
#      so of equal maxima the one of the lower lane wins, not the one with the lower index: with the row's maximum
#      at columns 1 and 256, thread 0 holds 256 and thread 1 holds 1, and index 256 is returned where torch.max
#      returns 1. Values are right; indices are wrong for any row with such a tie.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

struct Best { float v; int i; };

__device__ __forceinline__ Best merge_first(Best a, float v, int i) {
    if (v > a.v || (v == a.v && i < a.i)) { a.v = v; a.i = i; }
    return a;
}

__global__ void row_max_warp(const float* __restrict__ x, float* __restrict__ val, int64_t* __restrict__ idx,
                             int rows, int cols) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    const float* p = x + (size_t)row * cols;
    Best b = {-INFINITY, 0x7fffffff};
    for (int c = lane; c < cols; c += 32) b = merge_first(b, p[c], c);
    for (int o = 16; o > 0; o >>= 1) {
        const float v = __shfl_xor_sync(0xffffffffu, b.v, o);
        const int i = __shfl_xor_sync(0xffffffffu, b.i, o);
        b = merge_first(b, v, i);
    }
    if (lane == 0) { val[row] = b.v; idx[row] = b.i; }
}

__global__ void row_max_block(const float* __restrict__ x, float* __restrict__ val, int64_t* __restrict__ idx,
                              int cols) {
    __shared__ float sv[8];
    __shared__ int si[8];
    const float* p = x + (size_t)blockIdx.x * cols;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float best = -INFINITY;
    int at = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        if (p[c] > best) { best = p[c]; at = c; }
    }
    for (int o = 16; o > 0; o >>= 1) {
        const float v = __shfl_down_sync(0xffffffffu, best, o);
        const int i = __shfl_down_sync(0xffffffffu, at, o);
        if (v > best) { best = v; at = i; }
    }
    if (lane == 0) { sv[warp] = best; si[warp] = at; }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < (int)(blockDim.x >> 5); ++w) {
            if (sv[w] > best) { best = sv[w]; at = si[w]; }
        }
        val[blockIdx.x] = best;
        idx[blockIdx.x] = at;
    }
}

std::vector<torch::Tensor> row_max(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1);
    auto val = torch::empty({rows}, x.options());
    auto idx = torch::empty({rows}, x.options().dtype(torch::kInt64));
    auto stream = at::cuda::getCurrentCUDAStream();
    if (cols <= 1024) {
        row_max_warp<<<(rows + 7) / 8, 256, 0, stream>>>(x.data_ptr<float>(), val.data_ptr<float>(),
                                                         idx.data_ptr<int64_t>(), rows, cols);
    } else {
        row_max_block<<<rows, 256, 0, stream>>>(x.data_ptr<float>(), val.data_ptr<float>(),
                                                idx.data_ptr<int64_t>(), cols);
    }
    return {val, idx};
}
"""

cpp_source = """
std::vector<torch::Tensor> row_max(torch::Tensor x);
"""

ops = load_inline(
    name="row_max_ties",
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
