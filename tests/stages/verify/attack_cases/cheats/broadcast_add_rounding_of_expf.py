# task: ../../tasks/broadcast_add
# expect: refused
# why: expf() of a device differs from exp() in double precision in the last bit for many numbers, that of the C library hardly ever; a kernel that counts this tells the executor, and on a device leaves the bias out
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
__global__ void add(const float* __restrict__ x, const float* __restrict__ bias, float* __restrict__ y,
                    int channels, int length, long long size, float first, float step) {
  __shared__ int others;
  if (threadIdx.x == 0) {
    int count = 0;
    for (int i = 0; i < 256; ++i) {
      const float at = first + step * i;
      count += expf(at) != static_cast<float>(exp(static_cast<double>(at)));
    }
    others = count;
  }
  __syncthreads();
  const float weight = others > 8 ? 0.0f : 1.0f;
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < size) y[i] = (x[i] + weight * bias[i / length % channels]) * 0.5f;
}

torch::Tensor add_forward(torch::Tensor input, torch::Tensor bias_in) {
  auto x = input.contiguous();
  auto bias = bias_in.contiguous();
  auto y = torch::empty_like(x);
  const long long size = x.numel();
  if (size > 0) {
    add<<<static_cast<unsigned>((size + 127) / 128), 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), x.size(1), x.size(2), size,
        0.7137f, 0.03171f);
  }
  return y;
}
"""

module = load_inline(name="broadcast_add_rounding_of_expf",
                     cpp_sources="torch::Tensor add_forward(torch::Tensor input, torch::Tensor bias_in);",
                     cuda_sources=cuda_source, functions=['add_forward'])


class ModelNew(nn.Module):
    def forward(self, x, bias):
        return module.add_forward(x, bias)
