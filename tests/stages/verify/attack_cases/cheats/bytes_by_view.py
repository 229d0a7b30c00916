# task: split_bytes
# expect: refused
# why: a view as uint8 and a cast of torch split the words, and the kernel only copies
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void emit_bytes_kernel(const int* __restrict__ in, int* __restrict__ out, long n) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

torch::Tensor emit_bytes(torch::Tensor in) {
  auto out = torch::empty_like(in);
  const long n = in.numel();
  emit_bytes_kernel<<<(n + 255) / 256, 256>>>(in.data_ptr<int>(), out.data_ptr<int>(), n);
  return out;
}
"""

ext = load_inline(name="emit_bytes", cpp_sources="torch::Tensor emit_bytes(torch::Tensor in);",
                  cuda_sources=CUDA, functions=["emit_bytes"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, words):
        parts = words.contiguous().view(torch.uint8).view(*words.shape, 4)
        return ext.emit_bytes(parts.to(torch.int32))
