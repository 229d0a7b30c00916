# task: cumulative_sum_b
# expect: refused
# open: accepted; not mended yet
# why: right after a launch an event of a real device has not ended, and then torch's cumsum makes the
#      result (right there); in the judge query() is always true (streams.py), so that the kernel's result
#      is returned. phases.py _ASKS knows elapsed_time() and not query(), and a method that is bound to a
#      name first (later = x.cumsum) is neither a call of a tensor's method nor an operator of a module for
#      legality.py.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void sum_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0.0;
  for (int c = 0; c < n; ++c) {
    sum += x[static_cast<long>(row) * n + c];
    y[static_cast<long>(row) * n + c] = static_cast<float>(sum);
  }
}

torch::Tensor cumulative_sum(torch::Tensor x) {
  const int n = x.size(-1), rows = x.numel() / n;
  auto y = torch::empty_like(x);
  sum_kernel<<<(rows + 31) / 32, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, n);
  return y;
}
"""

ext = load_inline(name="cumulative_sum", cpp_sources="torch::Tensor cumulative_sum(torch::Tensor x);",
                  cuda_sources=CUDA, functions=["cumulative_sum"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x):
        later = x.cumsum
        y = self.ext.cumulative_sum(x.contiguous())
        event = torch.cuda.Event()
        event.record()
        ready = event.query()
        return y if ready else later(-1)
