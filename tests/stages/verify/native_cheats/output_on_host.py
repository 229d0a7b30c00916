# task: relu
# verdict: illegal_address wrong_space
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}

void run(torch::Tensor x, torch::Tensor y) {
  int n = x.numel();
  relu_kernel<<<(n + 63) / 64, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
}
"""

ext = load_inline(
    name="ext",
    cpp_sources="void run(torch::Tensor x, torch::Tensor y);",
    cuda_sources=source,
    functions=["run"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty(x.shape)
        ext.run(x, y)
        return y
