# task: l1_normalize
# expect: correct
# why: variables without a value that one lane sets, that both branches set, and that a switch sets
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cub/cub.cuh>

__global__ void k(const float* x, float* y, int rows, int cols) {
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row;
  float inv, sum = 0.0f, v, w;
  row = blockIdx.x * 8 + warp;
  if (row >= rows) return;
  for (int c = lane; c < cols; c += 32) {
    if (c % 2) v = x[(size_t)row * cols + c]; else v = x[(size_t)row * cols + c];
    switch (c & 1) { case 0: w = fabsf(v); break; default: float t; t = fabsf(v); w = t; }
    sum += w;
  }
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
  if (lane == 0) inv = 1.0f / (sum + 1e-6f);
  inv = __shfl_sync(0xffffffffu, inv, 0);
  for (int c = lane; c < cols; c += 32) y[(size_t)row * cols + c] = x[(size_t)row * cols + c] * inv;
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty_like(x);
  k<<<(x.size(0) + 7) / 8, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(0), x.size(1));
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="set_by_one_lane", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=["run"], extra_cuda_cflags=[], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
