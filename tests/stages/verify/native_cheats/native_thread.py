# task: matmul
# verdict: illegal forbidden_symbol
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <thread>
#include <torch/extension.h>

torch::Tensor run(torch::Tensor a, torch::Tensor b) {
  torch::Tensor c;
  std::thread worker([&] { c = at::mm(a, b); });
  worker.join();
  return c;
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
