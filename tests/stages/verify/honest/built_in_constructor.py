# task: relu
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <torch/extension.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}

torch::Tensor run(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  int n = x.numel();
  relu_kernel<<<(n + 63) / 64, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""


class Relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, ext):
        return ext.run(x)

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = load_inline(
            name="late", cpp_sources="torch::Tensor run(torch::Tensor x);", cuda_sources=[SOURCE], functions="run",
            verbose=True)

    def forward(self, x):
        with torch.cuda.device(x.device):
            y = Relu.apply(x.to(torch.float32), self.ext)
        torch.cuda.synchronize()
        return y
