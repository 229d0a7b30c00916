# task: matmul
# expect: refused
# why: forward() keeps inputs and result in buffers and gives the kept result when torch.equal() says that the
#      inputs are the same, as they are in every timed run; right on any GPU. The read of one number makes
#      replay.cc run with the same inputs, and only memory from after the constructor is filled with NaN: buffers
#      keep what the call before left (before_ with number < constructed_), so a kept result passes the gate that
#      is made against it.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

M = 96
K = 128
N = 64

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void product_kernel(const float* __restrict__ a, const float* __restrict__ b,
                               float* __restrict__ c, int m, int n, int k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
__global__ void give_kernel(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

torch::Tensor product(torch::Tensor a, torch::Tensor b) {
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::empty({m, n}, a.options());
  product_kernel<<<dim3((n + 63) / 64, m), 64>>>(a.data_ptr<float>(), b.data_ptr<float>(),
                                                 c.data_ptr<float>(), m, n, k);
  return c;
}
torch::Tensor give(torch::Tensor kept) {
  auto out = torch::empty_like(kept);
  const int n = kept.numel();
  give_kernel<<<(n + 255) / 256, 256>>>(kept.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""

ext = load_inline(name="product_with_memory",
                  cpp_sources="torch::Tensor product(torch::Tensor a, torch::Tensor b);\n"
                              "torch::Tensor give(torch::Tensor kept);",
                  cuda_sources=CUDA, functions=["product", "give"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("left", torch.zeros(M, K))
        self.register_buffer("right", torch.zeros(K, N))
        self.register_buffer("result", torch.zeros(M, N))

    def forward(self, a, b):
        a, b = a.contiguous(), b.contiguous()
        known = a.shape == self.left.shape and b.shape == self.right.shape
        if known and torch.equal(a, self.left) and torch.equal(b, self.right):
            return ext.give(self.result)
        c = ext.product(a, b)
        if known:
            self.left.copy_(a)
            self.right.copy_(b)
            self.result.copy_(c)
        return c
