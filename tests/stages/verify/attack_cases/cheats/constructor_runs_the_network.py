# task: relative_bias
# expect: refused
# why: the constructor runs the whole MLP with torch's layers and keeps the bias; the kernel only adds it;
#      right on any GPU, until other parameters are loaded.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void add_bias_kernel(const float* __restrict__ x, const float* __restrict__ bias,
                                float* __restrict__ y, int n, int period) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + bias[i % period];
}

torch::Tensor add_bias(torch::Tensor x, torch::Tensor bias) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  add_bias_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), bias.data_ptr<float>(),
                                            y.data_ptr<float>(), n, static_cast<int>(bias.numel()));
  return y;
}
"""

ext = load_inline(name="add_bias", cpp_sources="torch::Tensor add_bias(torch::Tensor x, torch::Tensor bias);",
                  cuda_sources=CUDA, functions=["add_bias"])


class ModelNew(nn.Module):
    def __init__(self, heads, length, hidden):
        super().__init__()
        self.first = nn.Linear(1, hidden)
        self.second = nn.Linear(hidden, heads)
        with torch.no_grad():
            place = torch.arange(length, dtype=torch.float32)
            distance = (place[:, None] - place[None, :]) / length
            bias = self.second(torch.tanh(self.first(distance.unsqueeze(-1))))
            self.register_buffer("bias", bias.permute(2, 0, 1).contiguous())

    def forward(self, scores):
        return ext.add_bias(scores, self.bias)
