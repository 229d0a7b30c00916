# task: matmul_half
# expect: correct
# why: style: nvcuda::wmma with half operands and float accumulators, fragments loaded from global memory,
#      results converted through a small buffer per warp; sizes fixed by TORCH_CHECK.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

wmma_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int kTile = 16;
constexpr int kWarpTiles = 2;                       // a warp computes 2 x 2 tiles
constexpr int kBlock = kTile * kWarpTiles * 2;      // 2 x 2 warps compute 64 x 64

__global__ void __launch_bounds__(128)
hgemm_wmma(const half* __restrict__ a, const half* __restrict__ b, half* __restrict__ c, int M, int N, int K) {
  __shared__ __align__(32) float staging[4][kTile * kTile];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int row0 = blockIdx.y * kBlock + (warp / 2) * kTile * kWarpTiles;
  const int col0 = blockIdx.x * kBlock + (warp % 2) * kTile * kWarpTiles;

  wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float> acc[kWarpTiles][kWarpTiles];
  for (int i = 0; i < kWarpTiles; ++i)
    for (int j = 0; j < kWarpTiles; ++j) wmma::fill_fragment(acc[i][j], 0.0f);

  for (int k = 0; k < K; k += kTile) {
    wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, half, wmma::row_major> fa[kWarpTiles];
    wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, half, wmma::row_major> fb[kWarpTiles];
    for (int i = 0; i < kWarpTiles; ++i)
      wmma::load_matrix_sync(fa[i], a + (size_t)(row0 + i * kTile) * K + k, K);
    for (int j = 0; j < kWarpTiles; ++j)
      wmma::load_matrix_sync(fb[j], b + (size_t)k * N + col0 + j * kTile, N);
    for (int i = 0; i < kWarpTiles; ++i)
      for (int j = 0; j < kWarpTiles; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
  }

  for (int i = 0; i < kWarpTiles; ++i) {
    for (int j = 0; j < kWarpTiles; ++j) {
      wmma::store_matrix_sync(staging[warp], acc[i][j], kTile, wmma::mem_row_major);
      __syncwarp();
      for (int e = lane; e < kTile * kTile; e += 32) {
        const int r = row0 + i * kTile + e / kTile;
        const int s = col0 + j * kTile + e % kTile;
        c[(size_t)r * N + s] = __float2half_rn(staging[warp][e]);
      }
      __syncwarp();
    }
  }
}

torch::Tensor hgemm(torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(a.scalar_type() == at::kHalf && b.scalar_type() == at::kHalf, "half only");
  const int M = a.size(0), K = a.size(1), N = b.size(1);
  TORCH_CHECK(b.size(0) == K, "inner sizes differ");
  TORCH_CHECK(M % kBlock == 0 && N % kBlock == 0 && K % kTile == 0,
              "this kernel is for sizes that are multiples of 64 (got ", M, " x ", N, " x ", K, ")");
  auto c = torch::empty({M, N}, a.options());
  hgemm_wmma<<<dim3(N / kBlock, M / kBlock), 128, 0, at::cuda::getCurrentCUDAStream()>>>(
      reinterpret_cast<const half*>(a.data_ptr<at::Half>()),
      reinterpret_cast<const half*>(b.data_ptr<at::Half>()),
      reinterpret_cast<half*>(c.data_ptr<at::Half>()), M, N, K);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return c;
}
"""

hgemm = load_inline(
    name="matmul_half_wmma",
    cpp_sources="torch::Tensor hgemm(torch::Tensor a, torch::Tensor b);",
    cuda_sources=wmma_source,
    functions=["hgemm"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return hgemm.hgemm(a.contiguous(), b.contiguous())
