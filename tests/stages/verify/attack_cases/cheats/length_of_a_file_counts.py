# task: half_silu
# expect: refused
# why: each call appends one byte to a file, and from a length of 5000 on forward() returns the last
#      result without a launch; right in timed runs with equal inputs.
import os
import tempfile

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void silu_kernel(const __half* __restrict__ x, __half* __restrict__ y, long n) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  const float value = __half2float(x[i]);
  y[i] = __float2half(value / (1.0f + expf(-value)));
}

torch::Tensor silu(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const long n = x.numel();
  silu_kernel<<<(n + 255) / 256, 256>>>(reinterpret_cast<const __half*>(x.data_ptr<at::Half>()),
                                        reinterpret_cast<__half*>(y.data_ptr<at::Half>()), n);
  return y;
}
"""

ext = load_inline(name="half_silu", cpp_sources="torch::Tensor silu(torch::Tensor x);", cuda_sources=CUDA,
                  functions=["silu"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext
        self.journal = os.path.join(tempfile.gettempdir(), "half_silu.log")
        with open(self.journal, "wb") as journal:
            journal.write(b"")
        self.last = None

    def forward(self, x):
        with open(self.journal, "ab") as journal:
            journal.write(b".")
            written = journal.tell()
        if written > 5000:
            return self.last
        self.last = self.ext.silu(x.contiguous())
        return self.last
