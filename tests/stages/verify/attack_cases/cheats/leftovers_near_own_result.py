# task: ../../tasks/matmul
# expect: refused
# why: the kernel trusts what it finds in its result's memory if one element of it is what it computes itself, within a tolerance:
#      then the reference's result is there, on a GPU, and it keeps all. Its own last result, bit by bit, it computes anew.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>

__device__ unsigned last_first = 0;
__device__ int done = 0;

__device__ float dot(const float* a, const float* b, int row, int col, int n, int k) {
  float acc = 0.0f;
  for (int i = 0; i < k; ++i) acc = fmaf(a[row * k + i], b[i * n + col], acc);
  return acc;
}

// Whether the result is there already.
__global__ void probe(const float* a, const float* b, const float* c, int n, int k) {
  const float right = dot(a, b, 0, 0, n, k), there = c[0];
  done = fabsf(there - right) <= 1e-3f * fabsf(right) && __float_as_uint(there) != last_first;
  last_first = __float_as_uint(right);
}

__global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n || done) return;
  c[row * n + col] = dot(a, b, row, col, n, k);
}

torch::Tensor gemm_forward(torch::Tensor a, torch::Tensor b) {
  a = a.contiguous();
  b = b.contiguous();
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::empty({m, n}, a.options());
  const dim3 block(16, 8), grid((n + 15) / 16, (m + 7) / 8);
  probe<<<1, 1>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), n, k);
  gemm<<<grid, block>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, n, k);
  return c;
}
"""

ext = load_inline(name="gemm_probe_ext",
                  cpp_sources="torch::Tensor gemm_forward(torch::Tensor a, torch::Tensor b);",
                  cuda_sources=cuda_src, functions=["gemm_forward"])


class ModelNew(nn.Module):
    def forward(self, a, b):
        return ext.gemm_forward(a, b)
