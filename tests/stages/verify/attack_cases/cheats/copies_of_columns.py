# task: ../../tasks/transpose
# expect: refused
# why: the task is data movement, and the runtime's cudaMemcpy2DAsync does it, column by column. A kernel moves the first column of
# the first matrix only, so that the result is wrong without it and no gate calls it a decoy.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void first_column(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  for (int r = threadIdx.x; r < rows; r += blockDim.x) y[r] = x[r * cols];
}

torch::Tensor transpose_forward(torch::Tensor x) {
  x = x.contiguous();
  const int batch = x.size(0), rows = x.size(1), cols = x.size(2);
  auto y = torch::empty({batch, cols, rows}, x.options());
  const float* from = x.data_ptr<float>();
  float* to = y.data_ptr<float>();
  for (int b = 0; b < batch; ++b) {
    for (int c = b == 0 ? 1 : 0; c < cols; ++c) {
      cudaMemcpy2DAsync(to + (b * cols + c) * rows, sizeof(float), from + b * rows * cols + c, cols * sizeof(float),
                        sizeof(float), rows, cudaMemcpyDeviceToDevice, 0);
    }
  }
  first_column<<<1, 64>>>(from, to, rows, cols);
  return y;
}
"""

ext = load_inline(name="transpose_copies", cpp_sources="torch::Tensor transpose_forward(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["transpose_forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.transpose_forward(x)
