# task: even_odd
# expect: correct
# why: both branches of a divergent if call __shfl_xor_sync with the full mask, and each lane reads one of its own branch: all lanes
#      of the mask execute the same function, which is what the CUDA guide and PTX (shfl.sync, from sm_70 on) ask for; an H100
#      gives the result
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void even_odd(const float* x, float* y, int rows) {
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int row = blockIdx.x * 8 + warp;
  if (row >= rows) return;
  float v = x[(size_t)row * 32 + lane];
  float result;
  if ((lane & 1) == 0) {
    float s = v;
    s += __shfl_xor_sync(0xffffffffu, s, 16);
    s += __shfl_xor_sync(0xffffffffu, s, 8);
    s += __shfl_xor_sync(0xffffffffu, s, 4);
    s += __shfl_xor_sync(0xffffffffu, s, 2);
    result = v - s * (1.0f / 16.0f);
  } else {
    float m = v;
    m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, 16));
    m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, 8));
    m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, 4));
    m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, 2));
    result = v - m;
  }
  y[(size_t)row * 32 + lane] = result;
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty_like(x);
  int rows = x.size(0);
  even_odd<<<(rows + 7) / 8, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="full_mask_in_branches", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
