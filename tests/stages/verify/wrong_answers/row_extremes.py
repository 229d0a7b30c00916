# task: row_extremes
# bug maximum_from_zero: wrong_identity | * | *
# bug minimum_from_zero: wrong_identity | * | *
# bug product_from_zero: zeros | | 0
# bug minimum_is_maximum: * | * | 0
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void extremes_kernel(const float* x, float* high, float* low, float* product, int rows,
                                int columns, float first_high, float first_low,
                                float first_product, bool exchanged) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float a = first_high, b = first_low, c = first_product;
  for (int i = 0; i < columns; ++i) {
    const float v = x[r * columns + i];
    a = fmaxf(a, v);
    b = fminf(b, v);
    c *= v;
  }
  high[r] = exchanged ? b : a;
  low[r] = b;
  product[r] = c;
}

std::vector<torch::Tensor> run(torch::Tensor x, const std::string& bug) {
  x = x.contiguous();
  const int rows = x.size(0);
  auto high = torch::empty({rows}, x.options()), low = torch::empty_like(high);
  auto product = torch::empty_like(high);
  extremes_kernel<<<(rows + 31) / 32, 32>>>(
      x.data_ptr<float>(), high.data_ptr<float>(), low.data_ptr<float>(),
      product.data_ptr<float>(), rows, x.size(1), bug == "maximum_from_zero" ? 0.0f : -INFINITY,
      bug == "minimum_from_zero" ? 0.0f : INFINITY, bug == "product_from_zero" ? 0.0f : 1.0f,
      bug == "minimum_is_maximum");
  return {high, low, product};
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
        high, low, product = ext.run(x, "@BUG@")
        return high, low, product
