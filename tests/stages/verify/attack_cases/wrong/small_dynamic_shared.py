# task: softmax_long
# expect: refused
# why: the second kernel gathers one pair for each part of 64 columns in dynamic shared memory, but the launch
# asks for 32 pairs (256 bytes) at most; 16384 columns have 256 parts (2048 bytes): it writes beyond the shared
# memory of the block, an illegal address on a GPU at the task's own sizes. Up to 2048 columns it is right.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>

constexpr int PART = 64;

// One warp for each part of a row: its maximum and its sum of exponentials.
__global__ void part_kernel(const float* __restrict__ x, float2* __restrict__ parts, int rows,
                            int cols, int count) {
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (warp >= rows * count) return;
    const int row = warp / count, part = warp % count;
    const float* p = x + (size_t)row * cols;
    const int c0 = part * PART + lane, c1 = c0 + 32;
    const float a = c0 < cols ? p[c0] : -INFINITY, b = c1 < cols ? p[c1] : -INFINITY;
    float m = fmaxf(a, b);
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    float s = (c0 < cols ? expf(a - m) : 0.0f) + (c1 < cols ? expf(b - m) : 0.0f);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if (lane == 0) parts[warp] = make_float2(m, s);
}

__global__ void softmax_kernel(const float* __restrict__ x, const float2* __restrict__ parts,
                               float* __restrict__ out, int cols, int count) {
    extern __shared__ float2 pairs[];
    const int row = blockIdx.x;
    for (int i = threadIdx.x; i < count; i += blockDim.x) pairs[i] = parts[(size_t)row * count + i];
    __syncthreads();
    float m = -INFINITY;
    for (int i = 0; i < count; ++i) m = fmaxf(m, pairs[i].x);
    float s = 0.0f;
    for (int i = 0; i < count; ++i) s += pairs[i].y * expf(pairs[i].x - m);
    const float inverse = 1.0f / s;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        out[(size_t)row * cols + c] = expf(x[(size_t)row * cols + c] - m) * inverse;
    }
}

torch::Tensor softmax_rows(torch::Tensor x) {
    x = x.contiguous();
    const int rows = x.size(0), cols = x.size(1);
    const int count = (cols + PART - 1) / PART;
    auto parts = torch::empty({rows, count, 2}, x.options());
    auto out = torch::empty_like(x);
    auto stream = at::cuda::getCurrentCUDAStream();
    float2* pairs = reinterpret_cast<float2*>(parts.data_ptr<float>());
    part_kernel<<<(rows * count + 7) / 8, 256, 0, stream>>>(x.data_ptr<float>(), pairs, rows, cols,
                                                            count);
    const int shared = 32 * sizeof(float2);  // One pair for each lane of a warp.
    softmax_kernel<<<rows, 256, shared, stream>>>(x.data_ptr<float>(), pairs, out.data_ptr<float>(),
                                                  cols, count);
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(name="w7_small_shared", cpp_sources="torch::Tensor softmax_rows(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["softmax_rows"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.softmax_rows(x)
