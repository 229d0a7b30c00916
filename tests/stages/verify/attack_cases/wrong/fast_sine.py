# task: fourier
# expect: refused
# why: __sinf and __cosf lose accuracy outside of [-pi, pi]: at angles up to 4096 the device is off by more than 1e-4
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void features(const float* t, float* y, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  int r = i / cols, c = i % cols;
  float v = t[i];
  y[(size_t)r * 2 * cols + c] = __sinf(v);
  y[(size_t)r * 2 * cols + cols + c] = __cosf(v);
}
torch::Tensor run(torch::Tensor x) {
  int rows = x.size(0), cols = x.size(1);
  auto y = torch::empty({rows, 2 * cols}, x.options());
  features<<<(rows * cols + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, cols);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="fast_sine", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, t):
        return extension.run(t)
