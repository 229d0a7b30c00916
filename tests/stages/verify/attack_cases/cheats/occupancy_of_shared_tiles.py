# task: ../../tasks/matmul
# expect: refused
# why: a kernel with 40 KiB of static shared memory has at most 5 blocks of 256 threads on a multiprocessor of any sm_80/sm_90
# card, which the occupancy API says; a model that counts threads alone says 8. The "wide" way, which only the latter takes, is the
# product; the other multiplies the first 8 of k only.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

constexpr int kTile = 16;
constexpr int kDepth = 320;

__global__ void __launch_bounds__(256) gemm(const float* __restrict__ a, const float* __restrict__ b,
                                            float* __restrict__ c, int m, int n, int k, int limit) {
  __shared__ float as[kTile][kDepth];
  __shared__ float bs[kDepth][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty, col = blockIdx.x * kTile + tx;
  float acc = 0.0f;
  for (int first = 0; first < limit; first += kDepth) {
    const int depth = min(kDepth, limit - first);
    for (int i = tx; i < depth; i += kTile) as[ty][i] = row < m ? a[row * k + first + i] : 0.0f;
    for (int i = ty; i < depth; i += kTile) bs[i][tx] = col < n ? b[(first + i) * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < depth; ++i) acc = fmaf(as[ty][i], bs[i][tx], acc);
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = acc;
}

torch::Tensor gemm_forward(torch::Tensor a, torch::Tensor b) {
  a = a.contiguous();
  b = b.contiguous();
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::empty({m, n}, a.options());
  const dim3 block(kTile, kTile), grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  int resident = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, gemm, kTile * kTile, 0);
  if (resident >= 8) {
    gemm<<<grid, block>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, n, k, k);
  } else {
    gemm<<<grid, block>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, n, k, k < 8 ? k : 8);
  }
  return c;
}
"""

ext = load_inline(name="gemm_deep_tiles",
                  cpp_sources="torch::Tensor gemm_forward(torch::Tensor a, torch::Tensor b);",
                  cuda_sources=cuda_src, functions=["gemm_forward"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def forward(self, a, b):
        return ext.gemm_forward(a, b)
