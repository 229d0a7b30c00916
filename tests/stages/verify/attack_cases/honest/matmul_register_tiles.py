# task: ../../tasks/matmul
# expect: correct
# why: a block of 64 x 64 with 4 x 4 registers for each thread and two shared-memory buffers (one barrier for each tile); all edges are guarded.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

sgemm_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

namespace {

constexpr int BM = 64, BN = 64, BK = 8, TM = 4, TN = 4;
constexpr int THREADS = (BM / TM) * (BN / TN);   // 256

struct Tiles {
  float a[2][BK][BM + 4];
  float b[2][BK][BN];
};

__device__ __forceinline__ void load_tiles(Tiles& s, int buf, const float* __restrict__ A,
                                           const float* __restrict__ B, int M, int N, int K, int m0,
                                           int n0, int k0) {
  for (int t = threadIdx.x; t < BM * BK; t += THREADS) {
    const int r = t / BK, k = t % BK;
    s.a[buf][k][r] = (m0 + r < M && k0 + k < K) ? A[(size_t)(m0 + r) * K + k0 + k] : 0.f;
  }
  for (int t = threadIdx.x; t < BK * BN; t += THREADS) {
    const int k = t / BN, c = t % BN;
    s.b[buf][k][c] = (k0 + k < K && n0 + c < N) ? B[(size_t)(k0 + k) * N + n0 + c] : 0.f;
  }
}

__global__ void __launch_bounds__(THREADS, 2)
sgemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
      int K) {
  __shared__ Tiles s;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  const int tr = threadIdx.x / (BN / TN), tc = threadIdx.x % (BN / TN);
  float acc[TM][TN] = {};

  load_tiles(s, 0, A, B, M, N, K, m0, n0, 0);
  __syncthreads();
  int buf = 0;
  for (int k0 = 0; k0 < K; k0 += BK) {
    if (k0 + BK < K) load_tiles(s, buf ^ 1, A, B, M, N, K, m0, n0, k0 + BK);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float ra[TM], rb[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) ra[i] = s.a[buf][k][tr * TM + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) rb[j] = s.b[buf][k][tc * TN + j];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) acc[i][j] = fmaf(ra[i], rb[j], acc[i][j]);
    }
    __syncthreads();
    buf ^= 1;
  }
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int r = m0 + tr * TM + i;
    if (r >= M) continue;
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      const int c = n0 + tc * TN + j;
      if (c < N) C[(size_t)r * N + c] = acc[i][j];
    }
  }
}

}  // namespace

torch::Tensor matmul(torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(a.dim() == 2 && b.dim() == 2 && a.size(1) == b.size(0));
  a = a.contiguous();
  b = b.contiguous();
  const int M = a.size(0), K = a.size(1), N = b.size(1);
  auto c = torch::empty({M, N}, a.options());
  const dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
  sgemm<<<grid, THREADS, 0, at::cuda::getCurrentCUDAStream()>>>(
      a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), M, N, K);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return c;
}
"""

gemm = load_inline(name="matmul_register_tiles",
                   cpp_sources="torch::Tensor matmul(torch::Tensor a, torch::Tensor b);",
                   cuda_sources=sgemm_src, functions=["matmul"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def forward(self, a, b):
        return gemm.matmul(a, b)
