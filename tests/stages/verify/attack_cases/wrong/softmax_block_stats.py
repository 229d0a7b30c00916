# task: row_softmax_long
# expect: refused
# why: In the kernel for rows of more than 1024 columns (so at the task's size) the second stage of the block's
#      maximum fills lanes 8..31 with 0, not -inf: the 'maximum' of a row is never below 0. A row whose elements
#      are all below about -104 then has exp() = 0 everywhere, a sum of 0 and a result of 0/0 = NaN.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}
__device__ __forceinline__ float warp_max(float v) {
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}

// Short rows: one warp per row.
__global__ void row_stats_warp(const float* __restrict__ x, float* __restrict__ mx, float* __restrict__ sm,
                               int rows, int cols) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    int lane = threadIdx.x & 31;
    if (row >= rows) return;
    const float* p = x + (size_t)row * cols;
    float m = -INFINITY;
    for (int c = lane; c < cols; c += 32) m = fmaxf(m, p[c]);
    m = warp_max(m);
    float s = 0.0f;
    for (int c = lane; c < cols; c += 32) s += expf(p[c] - m);
    s = warp_sum(s);
    if (lane == 0) { mx[row] = m; sm[row] = s; }
}

// Long rows: one block of 256 threads per row.
__global__ void row_stats_block(const float* __restrict__ x, float* __restrict__ mx, float* __restrict__ sm,
                                int cols) {
    __shared__ float part[8];
    __shared__ float row_max;
    const float* p = x + (size_t)blockIdx.x * cols;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float m = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, p[c]);
    m = warp_max(m);
    if (lane == 0) part[warp] = m;
    __syncthreads();
    if (warp == 0) {
        m = lane < (int)(blockDim.x >> 5) ? part[lane] : 0.0f;
        m = warp_max(m);
        if (lane == 0) row_max = m;
    }
    __syncthreads();
    m = row_max;
    float s = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) s += expf(p[c] - m);
    s = warp_sum(s);
    if (lane == 0) part[warp] = s;
    __syncthreads();
    if (warp == 0) {
        s = lane < (int)(blockDim.x >> 5) ? part[lane] : 0.0f;
        s = warp_sum(s);
        if (lane == 0) { mx[blockIdx.x] = m; sm[blockIdx.x] = s; }
    }
}

__global__ void normalize_rows(const float* __restrict__ x, const float* __restrict__ mx,
                               const float* __restrict__ sm, float* __restrict__ y, int cols) {
    const size_t base = (size_t)blockIdx.x * cols;
    const float m = mx[blockIdx.x], inv = 1.0f / sm[blockIdx.x];
    for (int c = threadIdx.x; c < cols; c += blockDim.x) y[base + c] = expf(x[base + c] - m) * inv;
}

torch::Tensor softmax_rows(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1);
    auto y = torch::empty_like(x);
    auto mx = torch::empty({rows}, x.options());
    auto sm = torch::empty({rows}, x.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    if (cols <= 1024) {
        row_stats_warp<<<(rows + 7) / 8, 256, 0, stream>>>(x.data_ptr<float>(), mx.data_ptr<float>(),
                                                           sm.data_ptr<float>(), rows, cols);
    } else {
        row_stats_block<<<rows, 256, 0, stream>>>(x.data_ptr<float>(), mx.data_ptr<float>(),
                                                  sm.data_ptr<float>(), cols);
    }
    normalize_rows<<<rows, 256, 0, stream>>>(x.data_ptr<float>(), mx.data_ptr<float>(),
                                             sm.data_ptr<float>(), y.data_ptr<float>(), cols);
    return y;
}
"""

cpp_source = """
torch::Tensor softmax_rows(torch::Tensor x);
"""

ops = load_inline(
    name="softmax_block_stats",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["softmax_rows"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.softmax_rows(x)
