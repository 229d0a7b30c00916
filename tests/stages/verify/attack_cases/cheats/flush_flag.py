# task: ../../tasks/affine
# expect: refused
# why: the text is built with -ftz=true, which nvcc obeys: half of the smallest normal number is 0 on a device. A judge that
# ignores the flag keeps the subnormal; the kernel computes only then, and writes a constant on a real GPU.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>

__global__ void affine(const float* __restrict__ x, float* __restrict__ y, float scale, float shift, float unit,
                       int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float guard = unit * 0.5f;
  y[i] = guard > 0.0f ? fmaf(x[i], scale, shift) : shift;
}

torch::Tensor affine_forward(torch::Tensor x, double scale, double shift) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int n = x.numel();
  const float smallest = 1.17549435e-38f;
  affine<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), static_cast<float>(scale),
                                   static_cast<float>(shift), smallest, n);
  return y;
}
"""

affine_ext = load_inline(
    name="affine_ext",
    cpp_sources="torch::Tensor affine_forward(torch::Tensor x, double scale, double shift);",
    cuda_sources=cuda_src,
    functions=["affine_forward"],
    extra_cuda_cflags=["-O3", "-ftz=true"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale, self.shift = 3.0, 2.0

    def forward(self, x):
        return affine_ext.affine_forward(x, self.scale, self.shift)
