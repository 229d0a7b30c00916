# task: ../../tasks/linear
# expect: refused
# why: a module-level dict keeps the first layer of each shape, and every later model of the process computes with the weights of that first one: results of another model, stale on any device
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
__global__ void linear_relu(const float* __restrict__ x, const float* __restrict__ w,
                            const float* __restrict__ b, float* __restrict__ y,
                            int rows, int in, int out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * out) return;
  const int row = i / out, column = i % out;
  float sum = b[column];
  for (int k = 0; k < in; ++k) sum += x[row * in + k] * w[column * in + k];
  y[i] = sum > 0.0f ? sum : 0.0f;
}

torch::Tensor linear_relu_forward(torch::Tensor input, torch::Tensor weight, torch::Tensor bias) {
  auto x = input.contiguous();
  const int rows = x.size(0), in = x.size(1), out = weight.size(0);
  auto y = torch::empty({rows, out}, x.options());
  if (rows * out > 0) {
    linear_relu<<<(rows * out + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(),
        rows, in, out);
  }
  return y;
}
"""

module = load_inline(name="linear_first_of_its_shape",
                     cpp_sources="torch::Tensor linear_relu_forward(torch::Tensor input, torch::Tensor weight, torch::Tensor bias);",
                     cuda_sources=cuda_source, functions=['linear_relu_forward'])


layers = {}


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.layer = layers.setdefault((in_features, out_features), self.linear)

    def forward(self, x):
        return module.linear_relu_forward(x, self.layer.weight, self.layer.bias)
