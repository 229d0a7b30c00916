# task: matmul
# kernelbench: unsupported feature
# strict: illegal vendor_library
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cusparse.h>
#include <cufft.h>

torch::Tensor run(torch::Tensor a, torch::Tensor b) {
  cufftHandle plan;
  cufftPlan1d(&plan, 16, CUFFT_C2C, 1);
  return a;
}
"""

ext = load_inline(name="ext", cpp_sources="torch::Tensor run(torch::Tensor a, torch::Tensor b);",
                  cuda_sources=source, functions=["run"], extra_ldflags=["-lcublas"])


class ModelNew(nn.Module):
    def forward(self, a, b):
        return ext.run(a, b)
