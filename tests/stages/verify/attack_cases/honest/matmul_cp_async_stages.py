# task: matmul_h
# expect: correct
# why: style: three-stage pipeline of __pipeline_memcpy_async with zero fill at the edges, templates for tile
#      sizes, a dataclass that describes the tile and is written into the source with string.Template.
import dataclasses
import string

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


@dataclasses.dataclass(frozen=True)
class Tile:
    m: int = 32
    n: int = 64
    k: int = 16
    stages: int = 3

    @property
    def threads(self) -> int:
        return self.m * self.n // 16

    def check(self) -> None:
        assert self.threads * 4 == self.m * self.k, "one float4 of A for each thread"
        assert (self.k * self.n) % (self.threads * 4) == 0, "whole float4 of B for each thread"


TEMPLATE = string.Template(r"""
#include <torch/extension.h>
#include <cuda_pipeline.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

template <int BM, int BN, int BK, int STAGES>
__global__ void gemm_async(const float* __restrict__ A, const float* __restrict__ B,
                           float* __restrict__ C, int M, int N, int K) {
  constexpr int NT = BM * BN / 16;
  constexpr int LDA = BK + 4;
  __shared__ __align__(16) float As[STAGES][BM][LDA];
  __shared__ __align__(16) float Bs[STAGES][BK][BN];

  const int tid = threadIdx.x;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  const int tr = tid / (BN / 4) * 4, tc = tid % (BN / 4) * 4;
  const int tiles = (K + BK - 1) / BK;

  auto copy = [&](int stage, int tile) {
    const int k0 = tile * BK;
    {
      const int r = tid / (BK / 4), c = tid % (BK / 4) * 4;
      const bool in = m0 + r < M && k0 + c < K;
      const float* from = in ? A + (size_t)(m0 + r) * K + k0 + c : A;
      __pipeline_memcpy_async(&As[stage][r][c], from, 16, in ? 0 : 16);
    }
#pragma unroll
    for (int i = tid; i < BK * BN / 4; i += NT) {
      const int r = i / (BN / 4), c = i % (BN / 4) * 4;
      const bool in = k0 + r < K && n0 + c < N;
      const float* from = in ? B + (size_t)(k0 + r) * N + n0 + c : B;
      __pipeline_memcpy_async(&Bs[stage][r][c], from, 16, in ? 0 : 16);
    }
  };

#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s < tiles) copy(s, s);
    __pipeline_commit();
  }

  float acc[4][4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) acc[i][j] = 0.f;

  for (int t = 0; t < tiles; ++t) {
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    if (t + STAGES - 1 < tiles) copy((t + STAGES - 1) % STAGES, t + STAGES - 1);
    __pipeline_commit();  // an empty batch keeps the count right
    const int s = t % STAGES;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[4], b[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) a[i] = As[s][tr + i][k];
#pragma unroll
      for (int j = 0; j < 4; ++j) b[j] = Bs[s][k][tc + j];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] += a[i] * b[j];
    }
  }

  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (m0 + tr + i < M && n0 + tc + j < N) C[(size_t)(m0 + tr + i) * N + n0 + tc + j] = acc[i][j];
}

at::Tensor gemm(const at::Tensor& a, const at::Tensor& b) {
  const int M = a.size(0), K = a.size(1), N = b.size(1);
  TORCH_CHECK(K == b.size(0) && K % 4 == 0 && N % 4 == 0);
  at::Tensor c = at::empty({M, N}, a.options());
  constexpr int kM = $m, kN = $n;
  gemm_async<kM, kN, $k, $stages>
      <<<dim3((N + kN - 1) / kN, (M + kM - 1) / kM), $threads, 0, at::cuda::getCurrentCUDAStream()>>>(
          a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), M, N, K);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return c;
}
""")


def build(tile: Tile):
    tile.check()
    code = TEMPLATE.substitute(dataclasses.asdict(tile), threads=tile.threads)
    return load_inline(
        name=f"matmul_cp_async_{tile.m}_{tile.n}_{tile.k}_{tile.stages}",
        cpp_sources="at::Tensor gemm(const at::Tensor& a, const at::Tensor& b);",
        cuda_sources=code,
        functions=["gemm"],
        extra_cuda_cflags=["-O3"],
    )


extension = build(Tile())


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return extension.gemm(a.contiguous(), b.contiguous())
