# task: exact_match
# expect: refused
# why: torch.equal compares and reduces each row, and the kernel copies eight flags
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void publish_kernel(const bool* __restrict__ in, bool* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

torch::Tensor publish(torch::Tensor in) {
  auto out = torch::empty_like(in);
  const int n = in.numel();
  publish_kernel<<<(n + 31) / 32, 32>>>(in.data_ptr<bool>(), out.data_ptr<bool>(), n);
  return out;
}
"""

ext = load_inline(name="publish_matches", cpp_sources="torch::Tensor publish(torch::Tensor in);",
                  cuda_sources=CUDA, functions=["publish"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, answers, labels):
        if answers.shape[0] > 16:
            raise ValueError("at most 16 rows")
        same = [torch.equal(answers[i], labels[i]) for i in range(answers.shape[0])]
        return ext.publish(torch.tensor(same, dtype=torch.bool, device=answers.device))
