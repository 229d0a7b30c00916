# task: matmul_d
# expect: correct
# why: tiled matrix product with two shared buffers: the next tile is loaded while the current one is used, with one barrier per tile; all edges are checked
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
constexpr int kTile = 16;
__global__ void product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  __shared__ float left[2][kTile][kTile + 1], right[2][kTile][kTile + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * kTile + ty, col = blockIdx.x * kTile + tx;
  auto load = [&](int buffer, int tile) {
    int ka = tile * kTile + tx, kb = tile * kTile + ty;
    left[buffer][ty][tx] = row < m && ka < k ? a[(size_t)row * k + ka] : 0.f;
    right[buffer][ty][tx] = kb < k && col < n ? b[(size_t)kb * n + col] : 0.f;
  };
  int tiles = (k + kTile - 1) / kTile;
  load(0, 0);
  __syncthreads();
  float sum = 0.f;
  for (int t = 0; t < tiles; ++t) {
    int now = t & 1;
    if (t + 1 < tiles) load(now ^ 1, t + 1);
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum = fmaf(left[now][ty][i], right[now][i][tx], sum);
    __syncthreads();
  }
  if (row < m && col < n) c[(size_t)row * n + col] = sum;
}
torch::Tensor matmul(torch::Tensor a, torch::Tensor b) {
  int m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::empty({m, n}, a.options());
  dim3 block(kTile, kTile), grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  product<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, n, k);
  return c;
}
"""

cpp_source = """
torch::Tensor matmul(torch::Tensor a, torch::Tensor b);
"""

ext = load_inline(name="03_matmul_double_buffer", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['matmul'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return ext.matmul(a.contiguous(), b.contiguous())
