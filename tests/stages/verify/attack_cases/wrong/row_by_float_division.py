# task: scale_shift
# expect: refused
# why: the row is the element's number divided in float: beyond 2^24 numbers near the end of a row round up into the next row, and the column becomes negative
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void scale_shift(const float* x, const float* scale, const float* shift, float* y, int cols, long n) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int row = (int)((float)i / (float)cols);
  int col = (int)(i - (long)row * cols);
  y[i] = x[i] * scale[col] + shift[row];
}
torch::Tensor run(torch::Tensor x, torch::Tensor scale, torch::Tensor shift) {
  auto y = torch::empty_like(x);
  long n = x.numel();
  scale_shift<<<(unsigned int)((n + 255) / 256), 256>>>(x.data_ptr<float>(), scale.data_ptr<float>(), shift.data_ptr<float>(), y.data_ptr<float>(), x.size(1), n);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x, torch::Tensor scale, torch::Tensor shift);
'''

extension = load_inline(name="row_by_float_division", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, scale, shift):
        return extension.run(x, scale, shift)
