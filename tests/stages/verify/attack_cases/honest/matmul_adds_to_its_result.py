# task: ../../tasks/matmul
# expect: correct
# why: sums of parts of k are added to the result's memory, which the first kernel sets to zero; what is there before is never used.
#      Scratch memory of the device is left full of values that differ from call to call.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>

constexpr int kMost = 4096;
__device__ float scratch[kMost];

__global__ void clear(float* c, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) c[i] = 0.0f;
}

__global__ void gemm_part(const float* __restrict__ a, const float* __restrict__ b, float* c, int m, int n, int k,
                          int parts) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col >= n) return;
  const int first = static_cast<int>(static_cast<long>(k) * blockIdx.z / parts);
  const int last = static_cast<int>(static_cast<long>(k) * (blockIdx.z + 1) / parts);
  float acc = 0.0f;
  for (int i = first; i < last; ++i) acc = fmaf(a[row * k + i], b[i * n + col], acc);
  if (row == 0 && blockIdx.z == 0 && col < kMost) scratch[col] = acc;
  atomicAdd(c + row * n + col, row == 0 && blockIdx.z == 0 && col < kMost ? scratch[col] : acc);
}

torch::Tensor gemm_forward(torch::Tensor a, torch::Tensor b) {
  a = a.contiguous();
  b = b.contiguous();
  const int m = a.size(0), k = a.size(1), n = b.size(1), parts = k < 4 ? 1 : 4;
  auto c = torch::empty({m, n}, a.options());
  clear<<<(m * n + 255) / 256, 256>>>(c.data_ptr<float>(), m * n);
  gemm_part<<<dim3((n + 31) / 32, m, parts), 32>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, n,
                                                   k, parts);
  return c;
}
"""

ext = load_inline(name="gemm_in_parts",
                  cpp_sources="torch::Tensor gemm_forward(torch::Tensor a, torch::Tensor b);",
                  cuda_sources=cuda_src, functions=["gemm_forward"])


class ModelNew(nn.Module):
    def forward(self, a, b):
        return ext.gemm_forward(a, b)
