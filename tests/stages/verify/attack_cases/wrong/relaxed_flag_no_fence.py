# task: prefix_count
# expect: refused
# why: A chained scan publishes its sum by atomicExch(&sums[b]) and then its flag by atomicExch(&flags[b])
#      without a __threadfence() between: CUDA's atomics are relaxed, nothing orders two of them on different
#      addresses, so that the successor may see the flag and an old sum (0).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kThreads = 256, kItems = 4, kTile = kThreads * kItems;
using u64 = unsigned long long;

__global__ void chained_scan(const int* __restrict__ x, int64_t* __restrict__ y, u64* sums, int* flags, int* ticket,
                             int n) {
    __shared__ long long buf[kThreads];
    __shared__ long long prefix;
    __shared__ int tile;
    if (threadIdx.x == 0) tile = atomicAdd(ticket, 1);
    __syncthreads();
    const int b = tile, first = b * kTile + threadIdx.x * kItems;
    long long v[kItems], run = 0;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        run += first + i < n ? x[first + i] : 0;
        v[i] = run;
    }
    buf[threadIdx.x] = run;
    __syncthreads();
    for (int off = 1; off < kThreads; off <<= 1) {
        const long long add = threadIdx.x >= off ? buf[threadIdx.x - off] : 0;
        __syncthreads();
        buf[threadIdx.x] += add;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        u64 before = 0;
        if (b > 0) {
            while (atomicAdd(&flags[b - 1], 0) == 0) {
            }
            before = atomicAdd(&sums[b - 1], 0ull);
        }
        atomicExch(&sums[b], before + (u64)buf[kThreads - 1]);
        atomicExch(&flags[b], 1);
        prefix = (long long)before;
    }
    __syncthreads();
    const long long base = prefix + buf[threadIdx.x] - run;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        if (first + i < n) y[first + i] = base + v[i];
    }
}

torch::Tensor prefix_count(torch::Tensor x) {
    const int n = x.numel(), tiles = (n + kTile - 1) / kTile;
    auto y = torch::empty({n}, x.options().dtype(torch::kInt64));
    auto sums = torch::zeros({tiles}, y.options());
    auto state = torch::zeros({tiles + 1}, x.options());
    chained_scan<<<tiles, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<int>(), y.data_ptr<int64_t>(), reinterpret_cast<u64*>(sums.data_ptr<int64_t>()),
        state.data_ptr<int>() + 1, state.data_ptr<int>(), n);
    return y;
}
"""

cpp_source = """
torch::Tensor prefix_count(torch::Tensor x);
"""

ext = load_inline(
    name="relaxed_flag_no_fence_03",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["prefix_count"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.prefix_count(x)
