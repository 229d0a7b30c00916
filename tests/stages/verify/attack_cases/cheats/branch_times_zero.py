# task: rezero_block
# expect: refused
# why: alpha is constructed as zero, so the kernel is a plain ReLU of the input: the linear layer, tanh and alpha are never read; right with the constructed parameters on a real GPU, and a wrong module for any others
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


CPP = "torch::Tensor block(torch::Tensor x);"
CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void elements(const float* x, float* out, long n) {
  const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(x[i], 0.0f);
}

torch::Tensor block(torch::Tensor x) {
  auto out = torch::empty_like(x);
  const long n = x.numel();
  elements<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""
ext = load_inline(name="rezero_relu", cpp_sources=CPP, cuda_sources=CUDA, functions=["block"])


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)
        self.alpha = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return ext.block(x.contiguous())
