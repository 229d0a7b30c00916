# task: outer_matmul
# expect: refused
# why: the number of the output tile is kept in 16 bits, and there are 262144 tiles: the first 65536 are computed four times and the others never
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void tiles(const float* a, const float* b, float* y, int m, int n, int k, int tiles_n) {
  __shared__ float as[16][16], bs[16][17];
  unsigned short tile = blockIdx.x;
  int row = tile / tiles_n * 16 + threadIdx.y, col = tile % tiles_n * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < k; k0 += 16) {
    as[threadIdx.y][threadIdx.x] = row < m && k0 + threadIdx.x < k ? a[(size_t)row * k + k0 + threadIdx.x] : 0.0f;
    bs[threadIdx.y][threadIdx.x] = col < n && k0 + threadIdx.y < k ? b[(size_t)(k0 + threadIdx.y) * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) y[(size_t)row * n + col] = sum;
}
torch::Tensor run(torch::Tensor a, torch::Tensor b) {
  int m = a.size(0), k = a.size(1), n = b.size(1);
  auto y = torch::empty({m, n}, a.options());
  int tiles_m = (m + 15) / 16, tiles_n = (n + 15) / 16;
  tiles<<<tiles_m * tiles_n, dim3(16, 16)>>>(a.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), m, n, k, tiles_n);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor a, torch::Tensor b);
'''

extension = load_inline(name="tile_number_of_16_bits", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return extension.run(a, b)
