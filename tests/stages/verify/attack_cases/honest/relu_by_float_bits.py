# task: ../../tasks/relu
# expect: correct
# why: the sign is read from the bits of the number, and two halves of the bits are moved through a float by a shuffle, whatever they
#      look like as a float: a NaN among them keeps its bits.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>

__global__ void relu_bits(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned bits = i < n ? __float_as_uint(x[i]) : 0u;
  // The low bits beside an exponent of ones, which is a NaN, there and back.
  const float packed = __uint_as_float(0x7fc00000u | (bits & 0xffffu));
  const float swapped = __shfl_xor_sync(0xffffffffu, packed, 1);
  const float back = __shfl_xor_sync(0xffffffffu, swapped, 1);
  const unsigned whole = (bits & 0xffff0000u) | (__float_as_uint(back) & 0xffffu);
  if (i < n) y[i] = (whole >> 31) != 0u && whole <= 0xff800000u ? 0.0f : __uint_as_float(whole);
}

torch::Tensor relu_forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int n = x.numel();
  relu_bits<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""

ext = load_inline(name="relu_bits_ext", cpp_sources="torch::Tensor relu_forward(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["relu_forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.relu_forward(x)
