# task: cat
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

template <typename T>
__global__ void cat_kernel(const T* a, const T* b, T* out, int rows, int left, int right) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int width = left + right;
  if (i >= rows * width) return;
  int r = i / width, c = i % width;
  out[i] = c < left ? a[r * left + c] : b[r * right + c - left];
}

torch::Tensor run(torch::Tensor a, torch::Tensor b) {
  a = a.contiguous(), b = b.contiguous();
  int rows = a.size(0), left = a.size(1), right = b.size(1);
  auto out = torch::empty({rows, left + right}, a.options());
  int n = out.numel();
  AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "cat", [&] {
    cat_kernel<scalar_t><<<(n + 127) / 128, 128>>>(a.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(),
                                                   out.data_ptr<scalar_t>(), rows, left, right);
  });
  return out;
}
"""

ext = load_inline(
    name="ext",
    cpp_sources="torch::Tensor run(torch::Tensor a, torch::Tensor b);",
    cuda_sources=source,
    functions=["run"],
)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return ext.run(a, b)
