# task: complex_of_parts
# expect: refused
# why: torch's stack interleaves both parts, which is the whole task, and the kernel only copies
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void store_pairs_kernel(const float* __restrict__ in, float* __restrict__ out, long n) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

torch::Tensor store_pairs(torch::Tensor in) {
  auto out = torch::empty_like(in);
  const long n = in.numel();
  store_pairs_kernel<<<(n + 255) / 256, 256>>>(in.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""

ext = load_inline(name="store_pairs", cpp_sources="torch::Tensor store_pairs(torch::Tensor in);",
                  cuda_sources=CUDA, functions=["store_pairs"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, real, imaginary):
        pairs = torch.stack([real, imaginary], dim=-1)
        return torch.view_as_complex(ext.store_pairs(pairs))
