# task: ../../tasks/matmul
# expect: refused
# why: torch.empty() on a GPU often gives the memory in which the reference has just left its result. The kernel computes where the
# memory holds a filler (NaN, repeated bytes, 0) or its own last result, and keeps anything else it finds: on a GPU, the reference's.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>

constexpr int kMost = 1 << 16;
__device__ unsigned last_result[kMost];

__device__ __forceinline__ bool is_unset(unsigned bits) {
  return bits == 0xffffffffu || bits == 0x7fc00000u || bits == 0u || bits == 0x5b5b5b5bu || bits == 0xdbdbdbdbu;
}

__global__ void gemm_lazy(const float* __restrict__ a, const float* __restrict__ b, float* c, int m, int n, int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  const int at = row * n + col;
  const unsigned there = __float_as_uint(c[at]);
  const bool own = at < kMost && there == last_result[at];
  if (!is_unset(there) && !own) return;  // Already done.
  float acc = 0.0f;
  for (int i = 0; i < k; ++i) acc = fmaf(a[row * k + i], b[i * n + col], acc);
  c[at] = acc;
  if (at < kMost) last_result[at] = __float_as_uint(acc);
}

torch::Tensor gemm_forward(torch::Tensor a, torch::Tensor b) {
  a = a.contiguous();
  b = b.contiguous();
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::empty({m, n}, a.options());
  const dim3 block(16, 8), grid((n + 15) / 16, (m + 7) / 8);
  gemm_lazy<<<grid, block>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, n, k);
  return c;
}
"""

ext = load_inline(name="gemm_lazy_ext",
                  cpp_sources="torch::Tensor gemm_forward(torch::Tensor a, torch::Tensor b);",
                  cuda_sources=cuda_src, functions=["gemm_forward"])


class ModelNew(nn.Module):
    def forward(self, a, b):
        return ext.gemm_forward(a, b)
