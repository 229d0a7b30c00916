# task: softmax_rows_h
# expect: correct
# why: style: one block a row, online softmax with pairs (max, sum) merged by shuffles and one word of shared
#      memory per warp; functions=[...] and a declaration as C++ source.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cfloat>

#define THREADS 256
#define WARPS (THREADS / 32)

struct MaxSum { float m; float s; };

__device__ __forceinline__ MaxSum merge(MaxSum a, MaxSum b) {
    MaxSum r;
    r.m = fmaxf(a.m, b.m);
    r.s = a.s * expf(a.m - r.m) + b.s * expf(b.m - r.m);
    return r;
}

__device__ __forceinline__ MaxSum warp_merge(MaxSum v) {
    #pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) {
        MaxSum other;
        other.m = __shfl_xor_sync(0xffffffffu, v.m, offset);
        other.s = __shfl_xor_sync(0xffffffffu, v.s, offset);
        v = merge(v, other);
    }
    return v;
}

__global__ void softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int cols) {
    __shared__ MaxSum parts[WARPS];
    const float* row = x + (size_t)blockIdx.x * cols;
    float* out = y + (size_t)blockIdx.x * cols;

    MaxSum v;
    v.m = -FLT_MAX;
    v.s = 0.0f;
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        float value = row[c];
        if (value > v.m) {
            v.s = v.s * expf(v.m - value) + 1.0f;
            v.m = value;
        } else {
            v.s += expf(value - v.m);
        }
    }
    v = warp_merge(v);
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    if (lane == 0) parts[warp] = v;
    __syncthreads();
    // Every warp merges the same few words, so no second barrier is needed.
    v = parts[0];
    #pragma unroll
    for (int w = 1; w < WARPS; ++w) v = merge(v, parts[w]);

    const float inv = 1.0f / v.s;
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        out[c] = expf(row[c] - v.m) * inv;
    }
}

torch::Tensor softmax_forward(torch::Tensor x) {
    auto y = torch::empty_like(x);
    const int rows = x.size(0);
    const int cols = x.size(1);
    softmax_kernel<<<rows, THREADS>>>(x.data_ptr<float>(), y.data_ptr<float>(), cols);
    return y;
}
'''

cpp_src = "torch::Tensor softmax_forward(torch::Tensor x);"

softmax_ext = load_inline(
    name="softmax_online_block",
    cpp_sources=cpp_src,
    cuda_sources=cuda_src,
    functions=["softmax_forward"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.softmax = softmax_ext

    def forward(self, x):
        assert x.dim() == 2, f"expected a matrix, got {x.dim()} dimensions"
        return self.softmax.softmax_forward(x.contiguous())
