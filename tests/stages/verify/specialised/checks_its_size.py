# task: relu
# general: not_general other_shapes
# sizes: refuses
# layouts: all
# values: wrong
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>

__global__ void relu_kernel(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = fmaxf(x[i], 0.0f);
}

torch::Tensor run(torch::Tensor x) {
  TORCH_CHECK(x.size(0) == 6 && x.size(1) == 40, "made for 6 x 40");
  x = x.contiguous();
  auto y = torch::empty_like(x);
  relu_kernel<<<5, 48>>>(x.data_ptr<float>(), y.data_ptr<float>());
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
