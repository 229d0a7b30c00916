# task: ../../tasks/row_sum
# expect: refused
# why: a function calls itself once for each column: on an H100 an illegal address from 100 columns on
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SRC = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

// A device's stack has 1 KiB for a thread unless cudaDeviceSetLimit() says more.
__device__ __noinline__ float sum_from(const float* p, int n, float weight) {
  if (n <= 0) return 0.f;
  float kept[4] = {p[0], weight, (float)n, p[n - 1]};
  const float rest = sum_from(p + 1, n - 1, kept[(n + 1) & 1 ? 1 : 1]);
  return kept[0] * kept[1] + rest;
}

__global__ void row_sums(const float* x, float* y, int rows, int cols) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) y[r] = sum_from(x + (size_t)r * cols, cols, 1.f);
}

torch::Tensor row_sum(torch::Tensor x) {
  auto y = torch::empty({x.size(0)}, x.options());
  row_sums<<<(x.size(0) + 63) / 64, 64, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(),
                                                                         x.size(0), x.size(1));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""
m = load_inline("c1_recursive_sum", "torch::Tensor row_sum(torch::Tensor x);", SRC, functions=["row_sum"])


class ModelNew(nn.Module):
    def forward(self, x):
        return m.row_sum(x.contiguous())
