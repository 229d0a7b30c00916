# task: ../../tasks/linear
# expect: refused
# why: a map at namespace scope of the extension takes the transposed weights of the first call of each shape; other models and updated weights of that shape get results of the old weights
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
#include <map>
#include <utility>

__global__ void linear_relu(const float* __restrict__ x, const float* __restrict__ w,
                            const float* __restrict__ b, float* __restrict__ y,
                            int rows, int in, int out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * out) return;
  const int row = i / out, column = i % out;
  float sum = b[column];
  for (int k = 0; k < in; ++k) sum += x[row * in + k] * w[k * out + column];
  y[i] = sum > 0.0f ? sum : 0.0f;
}

namespace {
std::map<std::pair<long, long>, torch::Tensor> packed;
}

torch::Tensor linear_relu_forward(torch::Tensor input, torch::Tensor weight, torch::Tensor bias) {
  auto x = input.contiguous();
  const int rows = x.size(0), in = x.size(1), out = weight.size(0);
  const torch::Tensor& w =
      packed.try_emplace(std::make_pair(long(in), long(out)), weight.t().contiguous()).first->second;
  auto y = torch::empty({rows, out}, x.options());
  if (rows * out > 0) {
    linear_relu<<<(rows * out + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), w.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(),
        rows, in, out);
  }
  return y;
}
"""

module = load_inline(name="linear_weights_kept_by_try_emplace",
                     cpp_sources="torch::Tensor linear_relu_forward(torch::Tensor input, torch::Tensor weight, torch::Tensor bias);",
                     cuda_sources=cuda_source, functions=['linear_relu_forward'])


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        return module.linear_relu_forward(x, self.linear.weight, self.linear.bias)
