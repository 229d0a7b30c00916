# task: ../../tasks/affine
# expect: refused
# why: a kernel indexes constexpr float kTaps[4] of file scope, which is no variable of the device: "identifier is undefined in device code"
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SRC = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

// A constexpr array of the host: nvcc lets device code use no element of it.
constexpr float kTaps[4] = {2.0f, 3.0f, 2.0f, 3.0f};

__global__ void affine(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int even = (i & 1) * 2;
  y[i] = x[i] * kTaps[even + 1] + kTaps[even];
}

torch::Tensor affine_cuda(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  affine<<<(n + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""
m = load_inline("c5_constexpr_table", "torch::Tensor affine_cuda(torch::Tensor x);", SRC, functions=["affine_cuda"])


class ModelNew(nn.Module):
    def forward(self, x):
        return m.affine_cuda(x.contiguous())
