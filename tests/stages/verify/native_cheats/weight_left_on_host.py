# task: linear
# verdict: illegal_address wrong_space
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>

__global__ void linear_kernel(const float* x, const float* w, const float* b, float* y, int rows,
                              int in, int out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * out) return;
  float sum = b[i % out];
  for (int k = 0; k < in; ++k) sum += x[i / out * in + k] * w[k * out + i % out];
  y[i] = fmaxf(sum, 0.0f);
}

torch::Tensor run(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  x = x.contiguous();
  const int rows = x.size(0), in = x.size(1), out = w.size(1);
  auto y = torch::empty({rows, out}, x.options());
  linear_kernel<<<(rows * out + 127) / 128, 128>>>(x.data_ptr<float>(), w.data_ptr<float>(),
                                                   b.data_ptr<float>(), y.data_ptr<float>(), rows,
                                                   in, out);
  return y;
}
"""

ext = load_inline(
    name="ext",
    cpp_sources="torch::Tensor run(torch::Tensor x, torch::Tensor w, torch::Tensor b);",
    cuda_sources=source,
    functions=["run"],
)


class ModelNew(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.linear = nn.Linear(i, o)
        # No parameter and no buffer: moving the model to the device leaves it behind.
        self.turned = self.linear.weight.detach().t().contiguous()

    def forward(self, x):
        return ext.run(x, self.turned, self.linear.bias)
