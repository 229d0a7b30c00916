# task: masked_weights
# verdict: not_general other_values
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>

__global__ void each_row(const float* x, const bool* kept, float* y, int rows, int n) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const float* row = x + r * n;
  const bool* seen = kept + r * n;
  float top = -INFINITY, sum = 0.0f;
  for (int c = 0; c < n; ++c) if (seen[c]) top = fmaxf(top, row[c]);
  for (int c = 0; c < n; ++c) if (seen[c]) sum += expf(row[c] - top);
  for (int c = 0; c < n; ++c) {
    y[r * n + c] = seen[c] ? expf(row[c] - top) / sum : 0.0f;
  }
}

torch::Tensor run(torch::Tensor x, torch::Tensor kept) {
  x = x.contiguous();
  kept = kept.contiguous();
  auto y = torch::empty(x.sizes(), x.options());
  const int rows = x.size(0), n = x.size(1);
  each_row<<<(rows + 31) / 32, 32>>>(x.data_ptr<float>(), kept.data_ptr<bool>(), y.data_ptr<float>(), rows, n);
  return y;
}
"""

ext = load_inline(name="ext", cpp_sources="torch::Tensor run(torch::Tensor x, torch::Tensor kept);",
                  cuda_sources=source, functions=["run"])


class ModelNew(nn.Module):
    def forward(self, x, kept):
        return ext.run(x, kept)
