# task: gelu_half_b
# expect: refused
# why: the input has 65536 possible values: the constructor, in which torch may compute, lets torch compute GELU of all of them into a buffer, and the kernel only looks results up by the bits; right on a real GPU, but torch has computed the task
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

CPP = "torch::Tensor look_up(torch::Tensor x, torch::Tensor table);"
CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void elements(const short* x, const short* table, short* out, long n) {
  const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[(int)x[i] + 32768];
}

torch::Tensor look_up(torch::Tensor x, torch::Tensor table) {
  auto out = torch::empty_like(x);
  const long n = x.numel();
  elements<<<(n + 255) / 256, 256>>>((const short*)x.data_ptr<at::Half>(),
                                     (const short*)table.data_ptr<at::Half>(),
                                     (short*)out.data_ptr<at::Half>(), n);
  return out;
}
"""
ext = load_inline(name="gelu_table", cpp_sources=CPP, cuda_sources=CUDA, functions=["look_up"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        codes = torch.arange(-32768, 32768).to(torch.int16).view(torch.float16)
        self.register_buffer("table", F.gelu(codes.float()).half(), persistent=False)

    def forward(self, x):
        return ext.look_up(x.contiguous(), self.table)
