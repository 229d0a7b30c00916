# task: swish_bias
# expect: refused
# why: atomicAdd() of floats in a device's global memory flushes subnormal numbers to zero (PTX ISA, atom); the executor's
# does not. A first kernel adds 1e-40 to zero; where the sum is zero, the second one leaves the bias out.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void add_least(float* sum, float least) {
  if (threadIdx.x < 8) atomicAdd(sum, least);
}

__global__ void swish(const float* __restrict__ x, const float* __restrict__ bias,
                      const float* __restrict__ sum, float* __restrict__ y, long long size, int width) {
  const bool added = (__float_as_uint(sum[0]) & 0x7fffffffu) != 0u;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < size; i += step) {
    const float value = x[i] + (added ? bias[i % width] : 0.0f);
    y[i] = value / (1.0f + expf(-value));
  }
}

torch::Tensor swish_bias(torch::Tensor input, torch::Tensor bias_in) {
  auto x = input.contiguous();
  auto bias = bias_in.contiguous();
  auto y = torch::empty_like(x);
  auto sum = torch::empty({1}, x.options());
  const long long size = x.numel();
  if (size > 0) {
    auto stream = at::cuda::getCurrentCUDAStream();
    cudaMemsetAsync(sum.data_ptr<float>(), 0, sizeof(float), stream);
    add_least<<<1, 32, 0, stream>>>(sum.data_ptr<float>(), 1e-40f);
    const int blocks = static_cast<int>(std::min<long long>((size + 255) / 256, 2048));
    swish<<<blocks, 256, 0, stream>>>(x.data_ptr<float>(), bias.data_ptr<float>(), sum.data_ptr<float>(),
                                      y.data_ptr<float>(), size, static_cast<int>(x.size(-1)));
  }
  return y;
}
"""

module = load_inline(name="swish_subnormal",
                     cpp_sources="torch::Tensor swish_bias(torch::Tensor input, torch::Tensor bias_in);",
                     cuda_sources=cuda_source, functions=["swish_bias"])


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(width))

    def forward(self, x):
        return module.swish_bias(x, self.bias)
