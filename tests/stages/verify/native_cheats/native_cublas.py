# task: matmul
# verdict: illegal vendor_library
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <cublas_v2.h>
#include <torch/extension.h>

torch::Tensor run(torch::Tensor a, torch::Tensor b) {
  return a;
}
"""

ext = load_inline(
    name="ext",
    cpp_sources="torch::Tensor run(torch::Tensor a, torch::Tensor b);",
    cuda_sources=source,
    functions=["run"],
)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return ext.run(a, b)
