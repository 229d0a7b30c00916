# task: matmul_v
# expect: refused
# why: the loop waits with __pipeline_wait_prior(1) also in its last round, in which no newer group is committed:
# the last tiles of depth 16 may still be on their way when they are multiplied. Own inputs, timing dependent
# (likely on a GPU, as the copies were started just one tile before).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cuda_pipeline.h>
#include <ATen/cuda/CUDAContext.h>

constexpr int T = 16;

// Tiles of T x T; K, M and N may be any numbers: what lies outside is set to zero by hand.
__device__ void fetch(float (*tile)[T], const float* p, int rows, int cols, int row0, int col0) {
    const int r = threadIdx.y, c = threadIdx.x;
    if (row0 + r < rows && col0 + c < cols) {
        __pipeline_memcpy_async(&tile[r][c], p + (size_t)(row0 + r) * cols + col0 + c, sizeof(float));
    } else {
        tile[r][c] = 0.0f;
    }
}

__global__ void matmul_kernel(const float* __restrict__ a, const float* __restrict__ b,
                              float* __restrict__ c, int M, int N, int K) {
    __shared__ float sa[2][T][T];
    __shared__ float sb[2][T][T];
    const int row0 = blockIdx.y * T, col0 = blockIdx.x * T;
    const int steps = (K + T - 1) / T;
    fetch(sa[0], a, M, K, row0, 0);
    fetch(sb[0], b, K, N, 0, col0);
    __pipeline_commit();
    float acc = 0.0f;
    for (int s = 0; s < steps; ++s) {
        const int now = s & 1;
        if (s + 1 < steps) {
            fetch(sa[now ^ 1], a, M, K, row0, (s + 1) * T);
            fetch(sb[now ^ 1], b, K, N, (s + 1) * T, col0);
            __pipeline_commit();
        }
        __pipeline_wait_prior(1);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < T; ++k) acc += sa[now][threadIdx.y][k] * sb[now][k][threadIdx.x];
        __syncthreads();
    }
    const int row = row0 + threadIdx.y, col = col0 + threadIdx.x;
    if (row < M && col < N) c[(size_t)row * N + col] = acc;
}

torch::Tensor matmul(torch::Tensor a, torch::Tensor b) {
    a = a.contiguous();
    b = b.contiguous();
    const int M = a.size(0), K = a.size(1), N = b.size(1);
    auto c = torch::empty({M, N}, a.options());
    matmul_kernel<<<dim3((N + T - 1) / T, (M + T - 1) / T), dim3(T, T), 0,
                    at::cuda::getCurrentCUDAStream()>>>(a.data_ptr<float>(), b.data_ptr<float>(),
                                                        c.data_ptr<float>(), M, N, K);
    C10_CUDA_CHECK(cudaGetLastError());
    return c;
}
"""

ext = load_inline(name="w7_pipeline", cpp_sources="torch::Tensor matmul(torch::Tensor a, torch::Tensor b);",
                  cuda_sources=cuda_src, functions=["matmul"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return ext.matmul(a, b)
