# task: round_to_bf16
# expect: refused
# why: two casts of torch round to bfloat16 and back, and the kernel only copies
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void emit_rounded_kernel(const float* __restrict__ in, float* __restrict__ out, long n) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

torch::Tensor emit_rounded(torch::Tensor in) {
  auto out = torch::empty_like(in);
  const long n = in.numel();
  emit_rounded_kernel<<<(n + 255) / 256, 256>>>(in.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""

ext = load_inline(name="emit_rounded", cpp_sources="torch::Tensor emit_rounded(torch::Tensor in);",
                  cuda_sources=CUDA, functions=["emit_rounded"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.emit_rounded(x.to(torch.bfloat16).to(torch.float32))
