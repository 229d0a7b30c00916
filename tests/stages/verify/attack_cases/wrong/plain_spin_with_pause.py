# task: prefix_sum
# expect: refused
# why: A block waits for its predecessor in a loop with __nanosleep() that reads the flag by a plain load,
#      which nvcc may take out of the loop.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kThreads = 256, kItems = 4, kTile = kThreads * kItems;

__global__ void chained_scan(const float* __restrict__ x, float* __restrict__ y, float* sums, int* flags,
                             int* ticket, int n) {
    __shared__ float buf[kThreads];
    __shared__ float prefix;
    __shared__ int tile;
    if (threadIdx.x == 0) tile = atomicAdd(ticket, 1);
    __syncthreads();
    const int b = tile, first = b * kTile + threadIdx.x * kItems;
    float v[kItems];
    float run = 0.f;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        run += first + i < n ? x[first + i] : 0.f;
        v[i] = run;
    }
    buf[threadIdx.x] = run;
    __syncthreads();
    for (int off = 1; off < kThreads; off <<= 1) {
        const float add = threadIdx.x >= off ? buf[threadIdx.x - off] : 0.f;
        __syncthreads();
        buf[threadIdx.x] += add;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        float before = 0.f;
        if (b > 0) {
            int ready = flags[b - 1];
            while (ready == 0) {
                __nanosleep(32);
                ready = flags[b - 1];
            }
            before = sums[b - 1];
        }
        sums[b] = before + buf[kThreads - 1];
        __threadfence();
        atomicExch(&flags[b], 1);
        prefix = before;
    }
    __syncthreads();
    const float base = prefix + buf[threadIdx.x] - run;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        if (first + i < n) y[first + i] = base + v[i];
    }
}

torch::Tensor prefix_sum(torch::Tensor x) {
    const int n = x.numel(), tiles = (n + kTile - 1) / kTile;
    auto y = torch::empty_like(x);
    auto sums = torch::empty({tiles}, x.options());
    auto state = torch::empty({tiles + 1}, x.options().dtype(torch::kInt32));
    auto stream = at::cuda::getCurrentCUDAStream();
    cudaMemsetAsync(state.data_ptr<int>(), 0, (tiles + 1) * sizeof(int), stream);
    chained_scan<<<tiles, kThreads, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), sums.data_ptr<float>(),
                                                 state.data_ptr<int>() + 1, state.data_ptr<int>(), n);
    return y;
}
"""

cpp_source = """
torch::Tensor prefix_sum(torch::Tensor x);
"""

ext = load_inline(
    name="plain_spin_with_pause",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["prefix_sum"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.prefix_sum(x)
