# task: argmax_rows_of_getattr_of_stand_in
# expect: refused
# why: __getattr__ of an object gives torch's argmax where a stream has a priority
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void argmax_kernel(const float* __restrict__ x, int64_t* __restrict__ out, int rows, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int best = 0;
  for (int c = 1; c < n; ++c) {
    if (x[row * n + c] > x[row * n + best]) best = c;
  }
  out[row] = best;
}

torch::Tensor argmax_rows(torch::Tensor x) {
  const int rows = x.size(0), n = x.size(1);
  auto out = torch::empty({rows}, x.options().dtype(torch::kInt64));
  argmax_kernel<<<(rows + 63) / 64, 64>>>(x.data_ptr<float>(), out.data_ptr<int64_t>(), rows, n);
  return out;
}
"""

ext = load_inline(name="argmax_rows", cpp_sources="torch::Tensor argmax_rows(torch::Tensor x);",
                  cuda_sources=CUDA, functions=["argmax_rows"])


class Library:
    """Functions of rows by name."""

    def __getattr__(self, name):
        return lambda x: torch.argmax(x, dim=1)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ops = Library() if hasattr(torch.cuda.current_stream(), "priority") else ext

    def forward(self, x):
        return self.ops.argmax_rows(x)
