# task: ../../tasks/affine
# expect: correct
# why: a constexpr function of the device reads a constexpr array of the host; its results are constants (Programming Guide,
#      "Constexpr variables"). Another table, aligned, is of the device.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SRC = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

constexpr float kTaps[4] = {2.0f, 3.0f, 2.0f, 3.0f};
__constant__ __align__(16) const float kOnes[2] = {1.0f, 1.0f};

constexpr __device__ float get(int i) { return kTaps[i]; }

__global__ void affine(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  constexpr float two = get(0), three = get(1);
  y[i] = x[i] * three * kOnes[i & 1] + two;
}

torch::Tensor affine_cuda(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  affine<<<(n + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""
m = load_inline("guide_constexpr_tables", "torch::Tensor affine_cuda(torch::Tensor x);", SRC, functions=["affine_cuda"])


class ModelNew(nn.Module):
    def forward(self, x):
        return m.affine_cuda(x.contiguous())
