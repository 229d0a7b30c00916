# task: cumsum_long_w
# expect: refused
# why: For rows of more than 4096 elements a single-pass scan reads carry[row][chunk - 1] without waiting until the
#      block of that chunk has written it: the blocks of a row run at the same time on a GPU and read 0 (or stale
#      sums), so all chunks but the first get wrong offsets. It is right only if blocks run one after another. Own
#      size: 128 chunks per row.
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

constexpr int kThreads = 256;
constexpr int kItems = 4;
constexpr int kChunk = kThreads * kItems;

// Inclusive scan of one chunk; returns the thread's first prefix (exclusive) and the total in *total.
__device__ __forceinline__ float scan_chunk(float* v, float* total) {
    __shared__ float warp_totals[kThreads / 32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float sum = 0.0f;
    for (int k = 0; k < kItems; ++k) { sum += v[k]; v[k] = sum; }
    float incl = sum;
    for (int o = 1; o < 32; o <<= 1) {
        const float n = __shfl_up_sync(0xffffffffu, incl, o);
        if (lane >= o) incl += n;
    }
    if (lane == 31) warp_totals[warp] = incl;
    __syncthreads();
    float before = 0.0f, all = 0.0f;
    for (int w = 0; w < kThreads / 32; ++w) {
        if (w < warp) before += warp_totals[w];
        all += warp_totals[w];
    }
    *total = all;
    return before + incl - sum;
}

__device__ __forceinline__ void load_items(const float* p, int base, int n, float* v) {
    for (int k = 0; k < kItems; ++k) v[k] = base + k < n ? p[base + k] : 0.0f;
}

// Two passes: every chunk on its own, then the offsets.
__global__ void scan_chunks(const float* __restrict__ x, float* __restrict__ y, float* __restrict__ totals,
                            int n, int chunks) {
    const size_t row = blockIdx.y;
    const int base = blockIdx.x * kChunk + threadIdx.x * kItems;
    float v[kItems], total;
    load_items(x + row * n, base, n, v);
    const float before = scan_chunk(v, &total);
    for (int k = 0; k < kItems; ++k) if (base + k < n) y[row * n + base + k] = before + v[k];
    if (threadIdx.x == 0) totals[row * chunks + blockIdx.x] = total;
}
__global__ void add_offsets(float* __restrict__ y, const float* __restrict__ totals, int n, int chunks) {
    const size_t row = blockIdx.y;
    float offset = 0.0f;
    for (int c = 0; c < (int)blockIdx.x; ++c) offset += totals[row * chunks + c];
    const int base = blockIdx.x * kChunk;
    for (int i = base + threadIdx.x; i < min(base + kChunk, n); i += blockDim.x) y[row * n + i] += offset;
}

// One pass: each chunk continues from the running total of the chunk before it.
__global__ void scan_chained(const float* __restrict__ x, float* __restrict__ y, float* carry, int n,
                             int chunks) {
    __shared__ float offset;
    const size_t row = blockIdx.y;
    const int base = blockIdx.x * kChunk + threadIdx.x * kItems;
    float v[kItems], total;
    load_items(x + row * n, base, n, v);
    const float before = scan_chunk(v, &total);
    if (threadIdx.x == 0) {
        const float prev = blockIdx.x > 0 ? carry[row * chunks + blockIdx.x - 1] : 0.0f;
        carry[row * chunks + blockIdx.x] = prev + total;
        __threadfence();
        offset = prev;
    }
    __syncthreads();
    for (int k = 0; k < kItems; ++k) if (base + k < n) y[row * n + base + k] = offset + before + v[k];
}

torch::Tensor cumsum_rows(torch::Tensor x) {
    const int rows = x.size(0), n = x.size(1);
    const int chunks = (n + kChunk - 1) / kChunk;
    auto y = torch::empty_like(x);
    auto sums = torch::empty({rows, chunks}, x.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    dim3 grid(chunks, rows);
    if (chunks <= 4) {
        scan_chunks<<<grid, kThreads, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(),
                                                   sums.data_ptr<float>(), n, chunks);
        add_offsets<<<grid, kThreads, 0, stream>>>(y.data_ptr<float>(), sums.data_ptr<float>(), n, chunks);
    } else {
        cudaMemsetAsync(sums.data_ptr<float>(), 0, sums.numel() * sizeof(float), stream);
        scan_chained<<<grid, kThreads, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(),
                                                    sums.data_ptr<float>(), n, chunks);
    }
    return y;
}
"""

cpp_source = """
torch::Tensor cumsum_rows(torch::Tensor x);
"""

ops = load_inline(
    name="cumsum_single_pass",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["cumsum_rows"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.cumsum_rows(x)
