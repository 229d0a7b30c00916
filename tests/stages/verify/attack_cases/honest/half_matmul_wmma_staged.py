# task: half_matmul
# expect: correct
# why: tensor cores by nvcuda::wmma with float accumulators; tiles are staged in shared memory with zeros beyond the edges and the result goes through
# shared memory too, so ragged sizes (200 x 136 x 168) are right.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

wmma_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

// A block of 4 warps makes 32 x 32 values; each warp owns one 16 x 16 tile of them.
constexpr int BM = 32, BN = 32, BK = 32, LDS = 40, LDC = 36;

__global__ void __launch_bounds__(128)
hgemm_wmma(const __half* __restrict__ A, const __half* __restrict__ B, __half* __restrict__ C, int M,
           int N, int K) {
  __shared__ alignas(32) __half as[BM * LDS];
  __shared__ alignas(32) __half bs[BK * LDS];
  __shared__ alignas(32) float cs[BM * LDC];

  const int warp = threadIdx.x / 32;
  const int wm = (warp / 2) * 16, wn = (warp % 2) * 16;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  const __half zero = __float2half(0.0f);

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, 0.0f);

  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int t = threadIdx.x; t < BM * BK; t += 128) {
      const int r = t / BK, k = t % BK;
      as[r * LDS + k] = (m0 + r < M && k0 + k < K) ? A[(m0 + r) * K + k0 + k] : zero;
    }
    for (int t = threadIdx.x; t < BK * BN; t += 128) {
      const int k = t / BN, c = t % BN;
      bs[k * LDS + c] = (k0 + k < K && n0 + c < N) ? B[(k0 + k) * N + n0 + c] : zero;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
      wmma::load_matrix_sync(fa, as + wm * LDS + k, LDS);
      wmma::load_matrix_sync(fb, bs + k * LDS + wn, LDS);
      wmma::mma_sync(acc, fa, fb, acc);
    }
    __syncthreads();
  }

  wmma::store_matrix_sync(cs + wm * LDC + wn, acc, LDC, wmma::mem_row_major);
  __syncthreads();
  for (int t = threadIdx.x; t < BM * BN; t += 128) {
    const int r = t / BN, c = t % BN;
    if (m0 + r < M && n0 + c < N) C[(m0 + r) * N + n0 + c] = __float2half(cs[r * LDC + c]);
  }
}

torch::Tensor half_matmul(torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(a.scalar_type() == torch::kHalf && b.scalar_type() == torch::kHalf);
  a = a.contiguous();
  b = b.contiguous();
  const int M = a.size(0), K = a.size(1), N = b.size(1);
  auto c = torch::empty({M, N}, a.options());
  const dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
  hgemm_wmma<<<grid, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
      reinterpret_cast<const __half*>(a.data_ptr<at::Half>()),
      reinterpret_cast<const __half*>(b.data_ptr<at::Half>()),
      reinterpret_cast<__half*>(c.data_ptr<at::Half>()), M, N, K);
  return c;
}
"""

ext = load_inline(name="half_matmul_wmma_staged",
                  cpp_sources="torch::Tensor half_matmul(torch::Tensor a, torch::Tensor b);",
                  cuda_sources=wmma_src, functions=["half_matmul"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def forward(self, a, b):
        return ext.half_matmul(a, b)
