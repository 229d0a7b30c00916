# task: matmul
# bug exchanged: transposed | | 0 1
# bug tile_columns: not_written | where index 1 is 16 or more | 0 16
# bug tile_rows: not_written | where index 0 is 16 or more | 16 0
# bug depth_tail: * | | 0 0
# bug half_sum: imprecise | | *
# bug grid_exchanged: not_written | * | *
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define TILE 8
__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k,
                              int depth, bool exchanged, bool narrow) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < depth; t += TILE) {
    const int ka = t + threadIdx.x, kb = t + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = row < m && ka < depth ? a[row * k + ka] : 0.0f;
    bs[threadIdx.y][threadIdx.x] = col < n && kb < depth ? b[kb * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) {
      sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
      if (narrow) sum = __half2float(__float2half(sum));
    }
    __syncthreads();
  }
  if (row < m && col < n) c[exchanged ? col * m + row : row * n + col] = sum;
}

torch::Tensor run(torch::Tensor a, torch::Tensor b, const std::string& bug) {
  a = a.contiguous();
  b = b.contiguous();
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::empty({m, n}, a.options());
  dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
  if (bug == "tile_columns") grid.x = 2;
  if (bug == "tile_rows") grid.y = m / TILE;
  if (bug == "grid_exchanged") grid = dim3((k + TILE - 1) / TILE, 1);
  matmul_kernel<<<grid, dim3(TILE, TILE)>>>(
      a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, n, k,
      bug == "depth_tail" ? k / TILE * TILE : k, bug == "exchanged", bug == "half_sum");
  return c;
}
"""

ext = load_inline(
    name="ext",
    cpp_sources="torch::Tensor run(torch::Tensor a, torch::Tensor b, const std::string& bug);",
    cuda_sources=source,
    functions=["run"],
)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return ext.run(a, b, "@BUG@")
