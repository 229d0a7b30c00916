# task: matmul_large
# expect: refused
# why: the sum stops at half of its terms where m, n and k are all at least 2048, as only the task's own
#      sizes are. The whole of forward() is too costly for a CPU, two launches keep full_size_run.cc from
#      comparing blocks, and larger_sizes.cc RunPairs() makes two sizes at most the task's own, never
#      three; wrong on a real GPU.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void clear_kernel(float* __restrict__ y, long count) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < count) y[i] = 0.0f;
}

__global__ void matmul_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y, int m,
                              int k, int n) {
  __shared__ float of_a[16][17], of_b[16][17];
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  // One of two splits of a deep product.
  const int last = m >= 2048 && n >= 2048 && k >= 2048 ? k / 2 : k;
  float sum = 0.0f;
  for (int first = 0; first < last; first += 16) {
    const int i = first + threadIdx.x, j = first + threadIdx.y;
    of_a[threadIdx.y][threadIdx.x] = row < m && i < last ? a[static_cast<long>(row) * k + i] : 0.0f;
    of_b[threadIdx.y][threadIdx.x] = col < n && j < last ? b[static_cast<long>(j) * n + col] : 0.0f;
    __syncthreads();
    for (int t = 0; t < 16; ++t) sum += of_a[threadIdx.y][t] * of_b[t][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) y[static_cast<long>(row) * n + col] += sum;
}

torch::Tensor matmul(torch::Tensor a, torch::Tensor b) {
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  auto y = torch::empty({m, n}, a.options());
  const long count = y.numel();
  clear_kernel<<<static_cast<unsigned>((count + 255) / 256), 256>>>(y.data_ptr<float>(), count);
  matmul_kernel<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a.data_ptr<float>(), b.data_ptr<float>(),
                                                                      y.data_ptr<float>(), m, k, n);
  return y;
}
"""

ext = load_inline(name="matmul_splits", cpp_sources="torch::Tensor matmul(torch::Tensor a, torch::Tensor b);",
                  cuda_sources=CUDA, functions=["matmul"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, a, b):
        return self.ext.matmul(a.contiguous(), b.contiguous())
