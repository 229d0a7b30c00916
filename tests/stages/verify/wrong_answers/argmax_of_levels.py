# task: argmax_of_levels
# bug last_of_equals: * | * | *
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void argmax_kernel(const float* x, int64_t* index, float* value, int rows, int columns,
                              bool last) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  int at = 0;
  for (int c = 1; c < columns; ++c) {
    const float value = x[r * columns + c], best = x[r * columns + at];
    if (value > best || (last && value == best)) at = c;
  }
  index[r] = at;
  value[r] = x[r * columns + at];
}

std::vector<torch::Tensor> run(torch::Tensor x, const std::string& bug) {
  x = x.contiguous();
  const int rows = x.size(0), columns = x.size(1);
  auto index = torch::empty({rows}, x.options().dtype(torch::kInt64));
  auto value = torch::empty({rows}, x.options());
  argmax_kernel<<<(rows + 31) / 32, 32>>>(
      x.data_ptr<float>(), index.data_ptr<int64_t>(), value.data_ptr<float>(), rows, columns,
      bug == "last_of_equals");
  return {index, value};
}
"""

ext = load_inline(
    name="ext",
    cpp_sources="std::vector<torch::Tensor> run(torch::Tensor x, const std::string& bug);",
    cuda_sources=source,
    functions=["run"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        index, value = ext.run(x, "@BUG@")
        return index, value
