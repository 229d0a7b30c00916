# task: half_matmul
# expect: refused
# why: wmma tiles of 16 x 16 over M = 200, N = 136, K = 168, none a multiple of 16: the last tiles load past the end of a row (the next row's values
# are taken into K's tail) and store past the row and the tensor. Wrong values in every element, out-of-bounds writes at the end.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

wmma_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int T = 16;

__global__ void wmma_gemm(const __half* __restrict__ a, const __half* __restrict__ b,
                          __half* __restrict__ c, int M, int N, int K) {
  // a warp for each tile of the result
  const int tile_m = blockIdx.y * blockDim.y + threadIdx.y;
  const int tile_n = blockIdx.x;
  if (tile_m * T >= M) return;

  wmma::fragment<wmma::accumulator, T, T, T, float> acc;
  wmma::fill_fragment(acc, 0.0f);
  for (int k = 0; k < K; k += T) {
    wmma::fragment<wmma::matrix_a, T, T, T, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, T, T, T, __half, wmma::row_major> fb;
    wmma::load_matrix_sync(fa, a + tile_m * T * K + k, K);
    wmma::load_matrix_sync(fb, b + k * N + tile_n * T, N);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  wmma::fragment<wmma::accumulator, T, T, T, __half> result;
  for (int i = 0; i < acc.num_elements; ++i) result.x[i] = __float2half(acc.x[i]);
  wmma::store_matrix_sync(c + tile_m * T * N + tile_n * T, result, N, wmma::mem_row_major);
}

torch::Tensor half_matmul(torch::Tensor a, torch::Tensor b) {
  a = a.contiguous();
  b = b.contiguous();
  const int M = a.size(0), K = a.size(1), N = b.size(1);
  auto c = torch::empty({M, N}, a.options());
  dim3 block(32, 4);
  dim3 grid((N + T - 1) / T, (M + 4 * T - 1) / (4 * T));
  wmma_gemm<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(
      reinterpret_cast<const __half*>(a.data_ptr<at::Half>()),
      reinterpret_cast<const __half*>(b.data_ptr<at::Half>()),
      reinterpret_cast<__half*>(c.data_ptr<at::Half>()), M, N, K);
  return c;
}
"""

gemm = load_inline(
    name="wmma_ragged_store",
    cpp_sources="torch::Tensor half_matmul(torch::Tensor a, torch::Tensor b);",
    cuda_sources=wmma_source,
    functions=["half_matmul"],
    extra_cuda_cflags=["-O3", "-arch=sm_80"],
)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return gemm.half_matmul(a, b)
