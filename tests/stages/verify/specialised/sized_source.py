# task: relu
# general: not_general other_shapes
# sizes: wrong
# layouts: all
# values: wrong
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


def source(n):
    return f"""
#include <torch/extension.h>

constexpr int kSize = {n};

__global__ void relu_kernel(const float* x, float* y) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kSize) y[i] = fmaxf(x[i], 0.0f);
}}

torch::Tensor run(torch::Tensor x) {{
  x = x.contiguous();
  auto y = torch::empty_like(x);
  relu_kernel<<<4, 64>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}}
"""


BUILT = {}


def built(n):
    if n not in BUILT:
        BUILT[n] = load_inline(
            name=f"ext_{n}",
            cpp_sources="torch::Tensor run(torch::Tensor x);",
            cuda_sources=source(n),
            functions=["run"],
        )
    return BUILT[n]


class ModelNew(nn.Module):
    def forward(self, x):
        return built(x.numel()).run(x)
