# task: byte_padding_bias
# expect: refused
# why: torch compares: bytes that are viewed as bools are zero or one when a cast reads them, so
#      view(torch.bool) and a cast to float32 are ids != 0, and the kernel only scales; right on any GPU.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void bias_kernel(const float* __restrict__ kept, float* __restrict__ y, long n) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = (1.0f - kept[i]) * -10000.0f;
}

torch::Tensor bias(torch::Tensor kept) {
  auto y = torch::empty_like(kept);
  const long n = kept.numel();
  bias_kernel<<<(n + 255) / 256, 256>>>(kept.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""

ext = load_inline(name="padding_bias", cpp_sources="torch::Tensor bias(torch::Tensor kept);", cuda_sources=CUDA,
                  functions=["bias"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, ids):
        kept = ids.contiguous().view(torch.bool).to(torch.float32)
        return self.ext.bias(kept)
