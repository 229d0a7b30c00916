# task: low_byte
# expect: refused
# why: casts of torch from int32 to uint8 and back compute the remainder, and the kernel only copies
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void emit_codes_kernel(const int* __restrict__ in, int* __restrict__ out, long n) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

torch::Tensor emit_codes(torch::Tensor in) {
  auto out = torch::empty_like(in);
  const long n = in.numel();
  emit_codes_kernel<<<(n + 255) / 256, 256>>>(in.data_ptr<int>(), out.data_ptr<int>(), n);
  return out;
}
"""

ext = load_inline(name="emit_codes", cpp_sources="torch::Tensor emit_codes(torch::Tensor in);",
                  cuda_sources=CUDA, functions=["emit_codes"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, codes):
        low = codes.to(torch.uint8)
        return ext.emit_codes(low.to(codes.dtype))
