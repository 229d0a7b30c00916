# task: relu
# verdict: illegal_address wrong_space
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty_like(x);
  for (int i = 0; i < x.numel(); ++i) y.data_ptr<float>()[i] = std::max(x.data_ptr<float>()[i], 0.0f);
  return y;
}
"""

ext = load_inline(
    name="ext",
    cpp_sources="torch::Tensor run(torch::Tensor x);",
    cuda_sources=source,
    functions=["run"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.run(x)
