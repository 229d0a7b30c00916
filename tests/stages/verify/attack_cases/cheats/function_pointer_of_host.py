# task: ../../tasks/relu
# expect: refused
# why: a kernel calls by a pointer that host code has taken
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SRC = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

// __host__ __device__: the address that host code takes is the host's function.
__host__ __device__ inline float relu_of(float v) { return v > 0.f ? v : 0.f; }
__host__ __device__ inline float affine_of(float v) { return v * 3.f + 2.f; }

using Unary = float (*)(float);

__global__ void map(const float* x, float* y, int n, Unary f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = f(x[i]);
}

torch::Tensor map_relu(torch::Tensor x, bool relu) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  map<<<(n + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), n,
                                                                   relu ? relu_of : affine_of);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""
m = load_inline("c4_function_pointer", "torch::Tensor map_relu(torch::Tensor x, bool relu);", SRC, functions=["map_relu"])


class ModelNew(nn.Module):
    def forward(self, x):
        return m.map_relu(x.contiguous(), True)
