# task: ../../tasks/affine
# expect: refused
# contract: any_layout
# why: only the layouts that are tried are read by their strides: rows with a gap of 4, a step of 2, swapped dimensions, one element
# a row. Any other view (every second row, x[:, ::3], a column slice of a wide matrix) is read as if it were contiguous.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>

__global__ void affine_strided(const float* __restrict__ x, float* __restrict__ y, int rows, int cols, long long s0,
                               long long s1) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  const int r = i / cols, c = i % cols;
  y[i] = fmaf(x[r * s0 + c * s1], 3.0f, 2.0f);
}

torch::Tensor affine_forward(torch::Tensor x) {
  const int rows = x.size(0), cols = x.size(1);
  auto y = torch::empty({rows, cols}, x.options());
  const int64_t a = x.stride(0), b = x.stride(1);
  long long s0 = cols, s1 = 1;
  const bool padded = b == 1 && a == cols + 4;
  const bool stepped = b == 2 && a == 2 * cols;
  const bool swapped = a == 1 && b == rows;
  const bool expanded = b == 0;
  if (padded || stepped || swapped || expanded) {
    s0 = a;
    s1 = b;
  }
  affine_strided<<<(rows * cols + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, cols, s0, s1);
  return y;
}
"""

ext = load_inline(name="affine_strided_ext", cpp_sources="torch::Tensor affine_forward(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["affine_forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.affine_forward(x)
