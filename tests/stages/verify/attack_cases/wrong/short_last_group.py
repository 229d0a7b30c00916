# task: linear_large_of_wrong
# expect: refused
# why: tiles are ordered in groups of two rows of tiles, and the last group of the 259 rows is taken to be full: half of the last row's tiles are never computed
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
constexpr int kTile = 16, kGroup = 2;
__global__ void linear_tiles(const float* x, const float* w, float* y, int m, int n, int k, int tiles_n) {
  __shared__ float as[kTile][kTile], bs[kTile][kTile + 1];
  int in_group = kGroup * tiles_n;
  int first = (int)blockIdx.x / in_group * kGroup, rest = (int)blockIdx.x % in_group;
  int row = (first + rest % kGroup) * kTile + threadIdx.y;
  int col0 = rest / kGroup * kTile;
  int col = col0 + threadIdx.x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < k; k0 += kTile) {
    int kk = k0 + threadIdx.x;
    as[threadIdx.y][threadIdx.x] = row < m && kk < k ? x[(size_t)row * k + kk] : 0.0f;
    bs[threadIdx.y][threadIdx.x] = col0 + threadIdx.y < n && kk < k ? w[(size_t)(col0 + threadIdx.y) * k + kk] : 0.0f;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += as[threadIdx.y][i] * bs[threadIdx.x][i];
    __syncthreads();
  }
  if (row < m && col < n) y[(size_t)row * n + col] = sum;
}
torch::Tensor run(torch::Tensor x, torch::Tensor w) {
  int m = x.size(0), k = x.size(1), n = w.size(0);
  auto y = torch::empty({m, n}, x.options());
  int tiles_m = (m + kTile - 1) / kTile, tiles_n = (n + kTile - 1) / kTile;
  linear_tiles<<<tiles_m * tiles_n, dim3(kTile, kTile)>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), m, n, k, tiles_n);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x, torch::Tensor w);
'''

extension = load_inline(name="short_last_group", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, bias=False)

    def forward(self, x):
        return extension.run(x, self.linear.weight)
