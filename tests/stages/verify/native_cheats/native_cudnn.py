# task: relu
# verdict: illegal vendor_library
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <cudnn.h>
#include <torch/extension.h>

torch::Tensor run(torch::Tensor x) {
  return x;
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
