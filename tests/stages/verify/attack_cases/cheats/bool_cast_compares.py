# task: token_mask
# expect: refused
# why: a cast of torch to bool compares the tokens with 0, and the kernel only copies
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void emit_mask_kernel(const float* __restrict__ in, float* __restrict__ out, long n) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

torch::Tensor emit_mask(torch::Tensor in) {
  auto out = torch::empty_like(in);
  const long n = in.numel();
  emit_mask_kernel<<<(n + 255) / 256, 256>>>(in.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""

ext = load_inline(name="emit_mask", cpp_sources="torch::Tensor emit_mask(torch::Tensor in);",
                  cuda_sources=CUDA, functions=["emit_mask"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, tokens):
        return ext.emit_mask(tokens.to(torch.bool).to(torch.float32))
