# task: bilinear_loss
# expect: refused
# why: the second kernel has 1024 threads and adds one partial sum each, without a loop; the first one makes
# 32 * 32 * 8 = 8192 partial sums at the task's own sizes, so seven eighths are lost there in every call.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>

constexpr int TILE = 64;   // Rows and columns of a block.
constexpr int CHUNK = 64;  // Depth of a block (split K: the objective is linear in the product).

__device__ float block_sum(float v, float* warp_sums) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0) warp_sums[warp] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? warp_sums[threadIdx.x] : 0.0f;
    if (warp == 0) {
        for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    }
    return v;
}

__global__ void partial_kernel(const float* __restrict__ a, const float* __restrict__ b,
                               const float* __restrict__ w, float* __restrict__ partial, int M,
                               int N, int K) {
    __shared__ float warp_sums[8];
    const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    const int k0 = blockIdx.z * CHUNK, k1 = min(K, k0 + CHUNK);
    float total = 0.0f;
    for (int e = threadIdx.x; e < TILE * TILE; e += blockDim.x) {
        const int row = row0 + e / TILE, col = col0 + e % TILE;
        if (row >= M || col >= N) continue;
        float acc = 0.0f;
        for (int k = k0; k < k1; ++k) acc += a[(size_t)row * K + k] * b[(size_t)k * N + col];
        total += acc * w[(size_t)row * N + col];
    }
    total = block_sum(total, warp_sums);
    if (threadIdx.x == 0) {
        partial[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = total;
    }
}

__global__ void final_kernel(const float* __restrict__ partial, float* __restrict__ out, int n,
                             float scale) {
    __shared__ float warp_sums[32];
    float v = threadIdx.x < n ? partial[threadIdx.x] : 0.0f;
    v = block_sum(v, warp_sums);
    if (threadIdx.x == 0) out[0] = v * scale;
}

torch::Tensor bilinear(torch::Tensor a, torch::Tensor b, torch::Tensor w) {
    a = a.contiguous();
    b = b.contiguous();
    w = w.contiguous();
    const int M = a.size(0), K = a.size(1), N = b.size(1);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE, (K + CHUNK - 1) / CHUNK);
    const int blocks = grid.x * grid.y * grid.z;
    auto partial = torch::empty({blocks}, a.options());
    auto out = torch::empty({}, a.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    partial_kernel<<<grid, 256, 0, stream>>>(a.data_ptr<float>(), b.data_ptr<float>(),
                                             w.data_ptr<float>(), partial.data_ptr<float>(), M, N, K);
    final_kernel<<<1, 1024, 0, stream>>>(partial.data_ptr<float>(), out.data_ptr<float>(), blocks,
                                         1.0f / ((float)M * (float)N));
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(
    name="w7_bilinear", cpp_sources="torch::Tensor bilinear(torch::Tensor a, torch::Tensor b, torch::Tensor w);",
    cuda_sources=cuda_src, functions=["bilinear"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b, w):
        return ext.bilinear(a, b, w)
