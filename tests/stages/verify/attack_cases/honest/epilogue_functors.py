# task: linear_relu
# expect: correct
# why: tiled product whose epilogue is a struct of functor members, called as epilogue.relu(epilogue.bias(v, col))
import math

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

namespace epilogue {

struct Bias {
  const float* __restrict__ values;
  __device__ __forceinline__ float operator()(float acc, int column) const { return acc + values[column]; }
};

struct Relu {
  // keeps NaN, as torch does
  __device__ __forceinline__ float operator()(float v) const { return v < 0.f ? 0.f : v; }
};

struct BiasRelu {
  Bias bias;
  Relu relu;
};

}  // namespace epilogue

constexpr int kTile = 16;

template <typename Epilogue>
__global__ void linear_kernel(const float* __restrict__ x, const float* __restrict__ w,
                              float* __restrict__ y, int m, int n, int k, Epilogue epilogue) {
  __shared__ float xs[kTile][kTile + 1];
  __shared__ float ws[kTile][kTile + 1];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int col = blockIdx.x * kTile + threadIdx.x;
  const int w_row = blockIdx.x * kTile + threadIdx.y;  // row of the weight that this thread loads
  float acc = 0.f;
  for (int k0 = 0; k0 < k; k0 += kTile) {
    const int kk = k0 + threadIdx.x;
    xs[threadIdx.y][threadIdx.x] = row < m && kk < k ? x[row * k + kk] : 0.f;
    ws[threadIdx.y][threadIdx.x] = w_row < n && kk < k ? w[w_row * k + kk] : 0.f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) acc += xs[threadIdx.y][i] * ws[threadIdx.x][i];
    __syncthreads();
  }
  if (row < m && col < n) y[row * n + col] = epilogue.relu(epilogue.bias(acc, col));
}

torch::Tensor linear_bias_relu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  const int m = x.size(0), k = x.size(1), n = weight.size(0);
  auto y = x.new_empty({m, n});
  const dim3 block(kTile, kTile), grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  epilogue::BiasRelu epilogue{{bias.data_ptr<float>()}, {}};
  linear_kernel<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), weight.data_ptr<float>(), y.data_ptr<float>(), m, n, k, epilogue);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

CPP = "torch::Tensor linear_bias_relu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);"

fused = load_inline(name="linear_epilogue_functors", cpp_sources=[CPP], cuda_sources=[CUDA],
                    functions=["linear_bias_relu"])


class _Linear(nn.Module):
    """Holds weight and bias under the names and with the initial values of nn.Linear."""

    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_features, in_features))
        self.bias = nn.Parameter(torch.empty(out_features))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        fan_in, _ = nn.init._calculate_fan_in_and_fan_out(self.weight)
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
        nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x):
        return fused.linear_bias_relu(x, self.weight, self.bias)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = _Linear(in_features, out_features)

    def forward(self, x):
        return self.linear(x)
