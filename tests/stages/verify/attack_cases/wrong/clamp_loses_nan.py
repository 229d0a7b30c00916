# task: sensor_clamp
# expect: refused
# why: fminf(fmaxf(NaN, low), high) is `low`: fmaxf drops a NaN, torch.clamp keeps it. 2 % of the task's own values are NaN and come out as -1.5.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__device__ __forceinline__ float clamp1(float v, float lo, float hi) {
  return fminf(fmaxf(v, lo), hi);
}

__global__ void clamp_kernel(const float* __restrict__ x, float* __restrict__ y, float lo, float hi,
                             int64_t n) {
  const int64_t vectors = n / 4;
  const int64_t step = (int64_t)gridDim.x * blockDim.x;
  const int64_t start = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  const float4* x4 = reinterpret_cast<const float4*>(x);
  float4* y4 = reinterpret_cast<float4*>(y);
  for (int64_t i = start; i < vectors; i += step) {
    float4 v = x4[i];
    v.x = clamp1(v.x, lo, hi);
    v.y = clamp1(v.y, lo, hi);
    v.z = clamp1(v.z, lo, hi);
    v.w = clamp1(v.w, lo, hi);
    y4[i] = v;
  }
  for (int64_t i = vectors * 4 + start; i < n; i += step) y[i] = clamp1(x[i], lo, hi);
}

torch::Tensor clamp(torch::Tensor x, double lo, double hi) {
  x = x.contiguous();
  if (reinterpret_cast<uintptr_t>(x.data_ptr<float>()) % 16 != 0) x = x.clone();
  auto y = torch::empty_like(x);
  clamp_kernel<<<512, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), (float)lo, (float)hi, x.numel());
  return y;
}
"""

clamp_ext = load_inline(name="clamp_loses_nan",
                        cpp_sources="torch::Tensor clamp(torch::Tensor x, double lo, double hi);",
                        cuda_sources=source, functions=["clamp"])


class ModelNew(nn.Module):
    def __init__(self, low, high):
        super().__init__()
        self.low, self.high = low, high

    def forward(self, readings):
        return clamp_ext.clamp(readings, self.low, self.high)
