# task: sort_of_levels
# bug first_of_equals: * | * | *
# bug counts_from_one: * | * | *
# bug far: * | * | *
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

// An element's place is the number of those before it; of equal ones the last comes first, or, where
// `stable`, the first.
__global__ void sort_kernel(const float* x, float* value, int64_t* index, int rows, int columns,
                            bool stable, bool same, int add) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const int row = i / columns, k = i % columns;
  const float* line = x + row * columns;
  int place = 0, first = k;
  for (int j = 0; j < columns; ++j) {
    if (line[j] < line[k] || (line[j] == line[k] && (stable ? j < k : j > k))) ++place;
    if (line[j] == line[k] && j < first) first = j;
  }
  value[row * columns + place] = line[k];
  index[row * columns + place] = (same ? first : k) + add;
}

std::vector<torch::Tensor> run(torch::Tensor x, const std::string& bug) {
  x = x.contiguous();
  const int rows = x.size(0), columns = x.size(1);
  auto value = torch::empty_like(x);
  auto index = torch::empty({rows, columns}, x.options().dtype(torch::kInt64));
  sort_kernel<<<(rows * columns + 63) / 64, 64>>>(
      x.data_ptr<float>(), value.data_ptr<float>(), index.data_ptr<int64_t>(), rows, columns,
      false, bug == "first_of_equals", bug == "counts_from_one" ? 1 : bug == "far" ? 1000000 : 0);
  return {value, index};
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
        value, index = ext.run(x, "@BUG@")
        return value, index
