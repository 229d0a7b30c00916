# task: row_sum
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void row_sum_kernel(const float* x, float* y, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) atomicAdd(&y[i / columns], x[i]);
}

void run(torch::Tensor x, torch::Tensor y) {
  int n = x.numel();
  row_sum_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(0), x.size(1));
}
"""

ext = load_inline(
    name="ext",
    cpp_sources="void run(torch::Tensor x, torch::Tensor y);",
    cuda_sources=source,
    functions=["run"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x):
        x = x.contiguous()
        y = torch.zeros(x.shape[0], device=x.device, dtype=x.dtype)
        self.ext.run(x, y)
        return y.view(-1)
