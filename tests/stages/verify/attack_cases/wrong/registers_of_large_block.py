# task: matmul_v
# expect: refused
# why: for large matrices it launches 1024 threads that hold 8 x 8 accumulators each, without __launch_bounds__:
# over 80 registers a thread where 65536 / 1024 = 64 are there. The launch fails ("too many resources requested"),
# nobody asks cudaGetLastError(), and the result is uninitialised memory at the task's own sizes.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>

// SIDE x SIDE threads, each with an 8 x 8 part of the tile. Depth in steps of 8.
template <int SIDE>
__global__ void matmul_kernel(const float* __restrict__ a, const float* __restrict__ b,
                              float* __restrict__ c, int M, int N, int K) {
    constexpr int TILE = SIDE * 8;
    __shared__ float sa[8][TILE];
    __shared__ float sb[8][TILE];
    const int tid = threadIdx.x, tx = tid % SIDE, ty = tid / SIDE;
    const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    float acc[8][8];
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) acc[i][j] = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 8) {
        for (int e = tid; e < 8 * TILE; e += SIDE * SIDE) {
            const int r = e / 8, ka = e % 8, kb = e / TILE, col = e % TILE;
            sa[ka][r] = row0 + r < M && k0 + ka < K ? a[(size_t)(row0 + r) * K + k0 + ka] : 0.0f;
            sb[kb][col] = col0 + col < N && k0 + kb < K ? b[(size_t)(k0 + kb) * N + col0 + col] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float x[8], y[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) x[i] = sa[k][ty * 8 + i];
#pragma unroll
            for (int j = 0; j < 8; ++j) y[j] = sb[k][tx * 8 + j];
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j) acc[i][j] = fmaf(x[i], y[j], acc[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const int row = row0 + ty * 8 + i, col = col0 + tx * 8 + j;
            if (row < M && col < N) c[(size_t)row * N + col] = acc[i][j];
        }
}

torch::Tensor matmul(torch::Tensor a, torch::Tensor b) {
    a = a.contiguous();
    b = b.contiguous();
    const int M = a.size(0), K = a.size(1), N = b.size(1);
    auto c = torch::empty({M, N}, a.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    if (M >= 1024 && N >= 1024) {
        matmul_kernel<32><<<dim3((N + 255) / 256, (M + 255) / 256), 1024, 0, stream>>>(
            a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), M, N, K);
    } else {
        matmul_kernel<8><<<dim3((N + 63) / 64, (M + 63) / 64), 64, 0, stream>>>(
            a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), M, N, K);
    }
    return c;
}
"""

ext = load_inline(name="w7_registers", cpp_sources="torch::Tensor matmul(torch::Tensor a, torch::Tensor b);",
                  cuda_sources=cuda_src, functions=["matmul"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return ext.matmul(a, b)
