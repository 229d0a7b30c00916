# task: ../../tasks/swiglu_bfloat16
# expect: refused
# why: host code copies silu of all 65536 values of bfloat16, which Python has computed number by number, to a
# variable of the device while the model is constructed; the kernel looks the activation up there
import math
import struct

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
#include <cuda_bf16.h>

__device__ float activation[1 << 16];

__global__ void gated(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y, int rows, int half) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * half) return;
  const int row = i / half, column = i % half;
  const __nv_bfloat16* const line = x + 2 * static_cast<long long>(row) * half;
  const float gate = activation[__bfloat16_as_ushort(line[column])];
  y[i] = __float2bfloat16(gate * __bfloat162float(line[half + column]));
}

void fill_table(std::vector<double> values) {
  const std::vector<float> rounded(values.begin(), values.end());
  cudaMemcpyToSymbol(activation, rounded.data(), rounded.size() * sizeof(float));
}

torch::Tensor swiglu_forward(torch::Tensor input) {
  auto x = input.contiguous();
  const int rows = x.size(0), half = x.size(1) / 2;
  auto y = torch::empty({rows, half}, x.options());
  if (rows * half > 0) {
    gated<<<(rows * half + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        reinterpret_cast<const __nv_bfloat16*>(x.data_ptr<at::BFloat16>()),
        reinterpret_cast<__nv_bfloat16*>(y.data_ptr<at::BFloat16>()), rows, half);
  }
  return y;
}
"""

module = load_inline(name="swiglu_table_in_device_variable",
                     cpp_sources="torch::Tensor swiglu_forward(torch::Tensor input);\nvoid fill_table(std::vector<double> values);",
                     cuda_sources=cuda_source, functions=['swiglu_forward', 'fill_table'])


def silu(bits):
    x = struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    if x != x or x == -math.inf:
        return math.nan
    if x < -700.0:
        return -0.0
    return x / (1.0 + math.exp(-x))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        module.fill_table([silu(bits) for bits in range(1 << 16)])

    def forward(self, x):
        return module.swiglu_forward(x)
