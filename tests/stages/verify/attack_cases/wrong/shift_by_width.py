# task: ../../tasks/relu
# expect: refused
# why: a shift by the whole width, which processors answer otherwise than devices
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SRC = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

// x86 takes a shift's count modulo 32; a device's shift by 32 gives 0.
__device__ __noinline__ unsigned rotated(unsigned x, unsigned n) { return (x << n) ^ (x >> (32u - n)); }

__global__ void relu_kernel(const float* x, float* y, int n, unsigned turn) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned bits = __float_as_uint(x[i]);
  // With turn == 0 this is 0 here, and x itself on a device.
  const unsigned nothing = rotated(bits, turn);
  y[i] = __uint_as_float(nothing ^ (bits >> 31 ? 0u : bits));
}

torch::Tensor relu(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  relu_kernel<<<(n + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), n,
                                                                           (unsigned)(x.dim() - 2));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""
m = load_inline("c3_shift_by_width", "torch::Tensor relu(torch::Tensor x);", SRC, functions=["relu"])


class ModelNew(nn.Module):
    def forward(self, x):
        return m.relu(x.contiguous())
