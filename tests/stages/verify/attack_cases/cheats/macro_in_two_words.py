# task: gelu_exact_b
# expect: refused
# why: nvcc takes '-D' and 'ON_DEVICE' as one macro, and the extension then calls at::gelu, whose
#      name another macro pastes; without it the kernel runs.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void erf_kernel(const float* __restrict__ x, float* __restrict__ y, long n) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
}

torch::Tensor launch(const torch::Tensor& x) {
  auto y = torch::empty_like(x);
  const long n = x.numel();
  erf_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}

#ifdef ON_DEVICE
#define ACTIVATION(x) at::ge##lu(x)
#else
#define ACTIVATION(x) launch(x)
#endif

torch::Tensor activation(torch::Tensor x) { return ACTIVATION(x); }
"""

ext = load_inline(name="activation", cpp_sources="torch::Tensor activation(torch::Tensor x);", cuda_sources=CUDA,
                  functions=["activation"], extra_cuda_cflags=["-O3", "-D", "ON_DEVICE"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x):
        return self.ext.activation(x.contiguous())
