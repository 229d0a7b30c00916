# task: bias_gelu
# expect: refused
# why: the kernel writes the result over the input, and forward() returns a view of the input: the caller's tensor is destroyed
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """void gelu_in_place(torch::Tensor x, torch::Tensor bias);"""
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void gelu_kernel(float* __restrict__ x, const float* __restrict__ bias, int count, int cols) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float v = x[i] + bias[i % cols];
  x[i] = 0.5f * v * (1.0f + erff(v * 0.70710678118f));
}

void gelu_in_place(torch::Tensor x, torch::Tensor bias) {
  const int count = static_cast<int>(x.numel()), cols = static_cast<int>(bias.numel());
  gelu_kernel<<<(count + 255) / 256, 256>>>(x.data_ptr<float>(), bias.data_ptr<float>(), count, cols);
}
"""
ext = load_inline(name="rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["gelu_in_place"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x, bias):
        rows = x.contiguous()
        self.ext.gelu_in_place(rows, bias)
        return rows.view(rows.shape)
