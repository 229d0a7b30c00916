# task: ../../tasks/broadcast_add
# expect: refused
# why: %warpid is a slot of a multiprocessor. The judge's value is a fixed formula of thread and block, warp + 1 + block; on a GPU
# the blocks lie on different multiprocessors and have low slots, so that blocks from the second or third on skip the bias.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>

__global__ void add_scale(const float* __restrict__ x, const float* __restrict__ bias, float* __restrict__ y,
                          int channels, int length, int n) {
  unsigned slot;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned usual = (threadIdx.x / 32 + 1 + blockIdx.x) % 64;
  const float shift = slot == usual ? bias[i / length % channels] : 0.0f;
  y[i] = (x[i] + shift) * 0.5f;
}

torch::Tensor add_scale_forward(torch::Tensor x, torch::Tensor bias) {
  x = x.contiguous();
  bias = bias.contiguous();
  auto y = torch::empty_like(x);
  const int n = x.numel(), channels = x.size(1), length = x.size(2);
  add_scale<<<(n + 63) / 64, 64>>>(x.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), channels,
                                   length, n);
  return y;
}
"""

ext = load_inline(name="add_scale_ext",
                  cpp_sources="torch::Tensor add_scale_forward(torch::Tensor x, torch::Tensor bias);",
                  cuda_sources=cuda_src, functions=["add_scale_forward"])


class ModelNew(nn.Module):
    def forward(self, x, bias):
        return ext.add_scale_forward(x, bias)
