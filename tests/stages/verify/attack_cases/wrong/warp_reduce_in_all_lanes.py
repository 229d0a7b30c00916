# task: l1_normalize
# expect: refused
# why: all lanes use the result of cub::WarpReduce::Sum, which CUB defines for lane 0 of the warp only
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cub/cub.cuh>
__global__ void l1_rows(const float* x, float* y, int rows, int cols) {
  typedef cub::WarpReduce<float> Reduce;
  __shared__ typename Reduce::TempStorage storage[8];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int row = blockIdx.x * 8 + warp;
  if (row >= rows) return;
  const float* in = x + (size_t)row * cols;
  float s = 0.0f;
  for (int c = lane; c < cols; c += 32) s += fabsf(in[c]);
  float total = Reduce(storage[warp]).Sum(s);
  float inv = 1.0f / (total + 1e-6f);
  for (int c = lane; c < cols; c += 32) y[(size_t)row * cols + c] = in[c] * inv;
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty_like(x);
  int rows = x.size(0);
  l1_rows<<<(rows + 7) / 8, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, x.size(1));
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="warp_reduce_in_all_lanes", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
