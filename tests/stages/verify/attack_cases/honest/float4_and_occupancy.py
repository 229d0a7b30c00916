# task: hardtanh_any
# expect: correct
# why: float4 with a tail where cudaOccupancyMaxPotentialBlockSize chooses the block, kept in a static struct that is filled when first used; a functor is the template argument
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


CPP = "torch::Tensor scaled_hardtanh(torch::Tensor x, double factor, double low, double high);"
CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

#include <algorithm>
#include <cstdint>

struct ScaledHardtanh {
  float factor, low, high;
  __device__ __forceinline__ float operator()(float x) const { return fminf(fmaxf(x * factor, low), high); }
};

template <typename F>
__global__ void map4(const float* __restrict__ x, float* __restrict__ y, int64_t n, bool wide, F f) {
  const int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  const int64_t threads = (int64_t)gridDim.x * blockDim.x;
  const int64_t quads = wide ? n / 4 : 0;
  for (int64_t i = thread; i < quads; i += threads) {
    float4 v = reinterpret_cast<const float4*>(x)[i];
    v.x = f(v.x);
    v.y = f(v.y);
    v.z = f(v.z);
    v.w = f(v.w);
    reinterpret_cast<float4*>(y)[i] = v;
  }
  for (int64_t i = quads * 4 + thread; i < n; i += threads) y[i] = f(x[i]);
}

struct LaunchShape {
  int min_grid = 0;
  int block = 0;
};

static const LaunchShape& launch_shape() {
  static LaunchShape shape;
  if (shape.block == 0) {
    cudaOccupancyMaxPotentialBlockSize(&shape.min_grid, &shape.block, map4<ScaledHardtanh>, 0, 256);
  }
  return shape;
}

torch::Tensor scaled_hardtanh(torch::Tensor x, double factor, double low, double high) {
  auto y = torch::empty_like(x);
  const int64_t n = x.numel();
  const LaunchShape& shape = launch_shape();
  const int64_t wanted = (n + 4 * shape.block - 1) / (4 * shape.block);
  const int grid = static_cast<int>(std::max<int64_t>(1, std::min<int64_t>(wanted, 4 * shape.min_grid)));
  const bool wide = (reinterpret_cast<uintptr_t>(x.data_ptr()) & 15) == 0 &&
                    (reinterpret_cast<uintptr_t>(y.data_ptr()) & 15) == 0;
  map4<<<grid, shape.block>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, wide,
                              ScaledHardtanh{(float)factor, (float)low, (float)high});
  return y;
}
"""
ext = load_inline(name="hardtanh4", cpp_sources=CPP, cuda_sources=CUDA, functions=["scaled_hardtanh"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.scaled_hardtanh(x.contiguous(), 1.5, -1.0, 1.0)
