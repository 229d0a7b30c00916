# task: half_gelu_bias
# expect: correct
# why: bias and GELU on half2 vectors, the sum in half as torch rounds it and the function in float, with a scalar path for an odd number of columns
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <cuda_fp16.h>
__device__ __forceinline__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678118654752f)); }
__global__ void pairs(const __half2* __restrict__ x, const __half2* __restrict__ bias, __half2* __restrict__ y, int cols2, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float2 v = __half22float2(__hadd2(x[i], bias[i % cols2]));
    y[i] = __floats2half2_rn(gelu(v.x), gelu(v.y));
  }
}
__global__ void singles(const __half* x, const __half* bias, __half* y, int cols, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = __float2half(gelu(__half2float(__hadd(x[i], bias[i % cols]))));
}
torch::Tensor gelu_bias(torch::Tensor x, torch::Tensor bias) {
  int cols = x.size(-1), n = x.numel();
  auto y = torch::empty_like(x);
  auto s = at::cuda::getCurrentCUDAStream();
  if (cols % 2 == 0) {
    pairs<<<std::min((n / 2 + 255) / 256, 1024), 256, 0, s>>>(reinterpret_cast<const __half2*>(x.data_ptr<at::Half>()), reinterpret_cast<const __half2*>(bias.data_ptr<at::Half>()),
        reinterpret_cast<__half2*>(y.data_ptr<at::Half>()), cols / 2, n / 2);
  } else {
    singles<<<std::min((n + 255) / 256, 1024), 256, 0, s>>>(reinterpret_cast<const __half*>(x.data_ptr<at::Half>()), reinterpret_cast<const __half*>(bias.data_ptr<at::Half>()),
        reinterpret_cast<__half*>(y.data_ptr<at::Half>()), cols, n);
  }
  return y;
}
"""

cpp_source = """
torch::Tensor gelu_bias(torch::Tensor x, torch::Tensor bias);
"""

ext = load_inline(name="09_half2_gelu_bias", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['gelu_bias'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, bias):
        return ext.gelu_bias(x.contiguous(), bias.contiguous())
