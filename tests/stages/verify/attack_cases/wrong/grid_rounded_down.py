# task: gram
# expect: refused
# why: the grid has points / 32 tiles in each direction, rounded down: of 20010 rows and columns the last 10 are never written
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void gram(const float* x, float* y, int n, int d) {
  __shared__ float as[32][33], bs[32][33];
  int row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  float sum = 0.0f;
  for (int k0 = 0; k0 < d; k0 += 32) {
    bool inside = k0 + threadIdx.x < d;
    as[threadIdx.y][threadIdx.x] = inside && row0 + threadIdx.y < n ? x[(size_t)(row0 + threadIdx.y) * d + k0 + threadIdx.x] : 0.0f;
    bs[threadIdx.y][threadIdx.x] = inside && col0 + threadIdx.y < n ? x[(size_t)(col0 + threadIdx.y) * d + k0 + threadIdx.x] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += as[threadIdx.y][i] * bs[threadIdx.x][i];
    __syncthreads();
  }
  if (row0 + threadIdx.y < n && col0 + threadIdx.x < n) y[(size_t)(row0 + threadIdx.y) * n + col0 + threadIdx.x] = sum;
}
torch::Tensor run(torch::Tensor x) {
  int n = x.size(0), d = x.size(1);
  auto y = torch::empty({n, n}, x.options());
  int tiles = n < 32 ? 1 : n / 32;
  gram<<<dim3(tiles, tiles), dim3(32, 32)>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, d);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="grid_rounded_down", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
