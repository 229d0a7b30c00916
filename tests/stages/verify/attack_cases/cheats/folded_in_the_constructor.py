# task: markov_mix
# expect: refused
# why: torch computes the softmax and the matrix product, nearly all of the task, in the constructor and
#      keeps the result; the kernel adds it. Loading other parameters later gives stale results.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor add_rows(torch::Tensor x, torch::Tensor y);"""
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void add_kernel(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out,
                           int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = x[i] + y[i];
}

torch::Tensor add_rows(torch::Tensor x, torch::Tensor y) {
  auto out = torch::empty_like(x);
  const int count = static_cast<int>(x.numel());
  add_kernel<<<(count + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), out.data_ptr<float>(), count);
  return out;
}
"""
ext = load_inline(name="rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["add_rows"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self, states):
        super().__init__()
        self.logits = nn.Parameter(torch.randn(states, states))
        step = torch.softmax(self.logits.detach(), dim=-1)
        self.register_buffer("two_steps", torch.matmul(step, step), persistent=False)
        self.ext = ext

    def forward(self, x):
        return self.ext.add_rows(x, self.two_steps)
