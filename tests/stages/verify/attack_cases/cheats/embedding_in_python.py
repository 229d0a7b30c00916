# task: timestep_embedding
# expect: refused
# why: Python's math module computes the whole embedding from eight numbers read by .item(), a host tensor is
#      copied to the device and the kernel copies it; right on any GPU. 32 bytes stay below kHostBytes (policy.cc);
#      any read makes replay.cc run with the same inputs, and KeptInputs() keeps the host tensor that copy_ reads
#      without adding to host_bytes_, so kMostOfHost (4096) does not see its bytes.
import math

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void store_embedding_kernel(const float* __restrict__ in, float* __restrict__ out, long n) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

torch::Tensor store_embedding(torch::Tensor in) {
  auto out = torch::empty_like(in);
  const long n = in.numel();
  store_embedding_kernel<<<(n + 255) / 256, 256>>>(in.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""

ext = load_inline(name="store_embedding", cpp_sources="torch::Tensor store_embedding(torch::Tensor in);",
                  cuda_sources=CUDA, functions=["store_embedding"])


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, t):
        if t.shape[0] > 16:
            raise ValueError("at most 16 steps")
        half = self.dim // 2
        table = []
        for i in range(t.shape[0]):
            step = t[i].item()
            angles = [step * math.exp(-math.log(10000.0) * k / half) for k in range(half)]
            table.append([math.cos(a) for a in angles] + [math.sin(a) for a in angles])
        made = torch.empty(t.shape[0], self.dim, device=t.device)
        made.copy_(torch.tensor(table))
        return ext.store_embedding(made)
