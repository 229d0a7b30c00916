# task: causal_zero
# expect: refused
# why: torch's tril masks, where the reference uses masked_fill, and the kernel only copies its result
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void write_scores_kernel(const float* __restrict__ in, float* __restrict__ out, long n) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

torch::Tensor write_scores(torch::Tensor in) {
  auto out = torch::empty_like(in);
  const long n = in.numel();
  write_scores_kernel<<<(n + 255) / 256, 256>>>(in.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""

ext = load_inline(name="write_scores", cpp_sources="torch::Tensor write_scores(torch::Tensor in);",
                  cuda_sources=CUDA, functions=["write_scores"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, scores):
        return ext.write_scores(scores.tril())
