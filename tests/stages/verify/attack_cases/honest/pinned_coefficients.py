# task: channel_polynomial
# expect: correct
# why: the coefficients are copied from pinned host memory to the device before the launch, both on the current stream
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

if not torch.cuda.is_available():
    raise RuntimeError("this model needs a CUDA device")

_declaration = "torch::Tensor polynomial(torch::Tensor x, torch::Tensor coefficients);"
_implementation = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

template <int kDegree>
struct Horner {
  float c[kDegree + 1];
  __device__ explicit Horner(const float* coefficients) {
#pragma unroll
    for (int i = 0; i <= kDegree; ++i) c[i] = coefficients[i];
  }
  __device__ float operator()(float x) const {
    float value = c[0];
#pragma unroll
    for (int i = 1; i <= kDegree; ++i) value = value * x + c[i];
    return value;
  }
};

__global__ void polynomial_kernel(const float* __restrict__ x, const float* __restrict__ coefficients,
                                  float* __restrict__ y, int channels, int length) {
  const int plane = blockIdx.y;
  const Horner<2> horner(coefficients + plane % channels * 3);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < length) y[plane * length + i] = horner(x[plane * length + i]);
}

torch::Tensor polynomial(torch::Tensor x, torch::Tensor coefficients) {
  TORCH_CHECK(coefficients.is_cuda(), "coefficients must be on the device");
  TORCH_CHECK(coefficients.size(0) == x.size(1) && coefficients.size(1) == 3, "three coefficients per channel");
  auto y = torch::empty_like(x);
  const int channels = x.size(1), length = x.size(2);
  const dim3 grid((length + 255) / 256, x.size(0) * channels);
  polynomial_kernel<<<grid, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), coefficients.data_ptr<float>(),
                                                                        y.data_ptr<float>(), channels, length);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""


class ModelNew(nn.Module):
    def __init__(self, coefficients):
        super().__init__()
        self._host = torch.tensor(coefficients, dtype=torch.float32).pin_memory()
        self._module = load_inline(name="channel_polynomial", cpp_sources=_declaration, cuda_sources=_implementation,
                                   functions=["polynomial"], verbose=False)

    def forward(self, x):
        coefficients = self._host.to(x.device, non_blocking=True)
        return self._module.polynomial(x, coefficients)
