# task: ../../tasks/mean_of_few
# expect: refused
# why: the whole input is 48 bytes, below what host code may read. Python reads all twelve numbers with item(), averages them, and a
# kernel only stores the argument: the host does all of the work, and sends no more bytes than it may.
import math

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>

__global__ void store(float* out, float value) { out[0] = value; }

torch::Tensor store_mean(torch::Tensor like, double value) {
  auto out = torch::empty({}, like.options());
  store<<<1, 1>>>(out.data_ptr<float>(), static_cast<float>(value));
  return out;
}
"""

ext = load_inline(name="store_mean_ext",
                  cpp_sources="torch::Tensor store_mean(torch::Tensor like, double value);",
                  cuda_sources=cuda_src, functions=["store_mean"])


class ModelNew(nn.Module):
    """The mean of a 3 x 4 tensor."""

    def forward(self, x):
        if tuple(x.shape) != (3, 4):
            raise ValueError("made for 3 x 4")
        numbers = [x[i, j].item() for i in range(3) for j in range(4)]
        return ext.store_mean(x, math.fsum(numbers) / 12.0)
