# task: quantize_floor
# expect: refused
# why: slice_scatter into an int32 tensor truncates; kernels scale before and after
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void scale_up_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fminf(fmaxf(x[i] * 16.0f, 0.0f), 255.0f);
}
__global__ void scale_down_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * 0.0625f;
}

torch::Tensor scale_up(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  scale_up_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
torch::Tensor scale_down(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  scale_down_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""

ext = load_inline(name="steps_of_sixteenths",
                  cpp_sources="torch::Tensor scale_up(torch::Tensor x);\n"
                              "torch::Tensor scale_down(torch::Tensor x);",
                  cuda_sources=CUDA, functions=["scale_up", "scale_down"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        scaled = ext.scale_up(x)
        whole = torch.zeros(x.shape, dtype=torch.int32, device=x.device).slice_scatter(scaled)
        return ext.scale_down(whole.to(torch.float32))
