# task: avg_pool
# expect: correct
# why: std::getenv decides in C++ whether launches are followed by a synchronisation that reports errors; the value is kept in a static, and the result does not depend on it
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


CPP = "torch::Tensor avg_pool(torch::Tensor x, int64_t window);"
CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

#include <cstdlib>

static void check_launch(const char* what) {
  const cudaError_t error = cudaGetLastError();
  TORCH_CHECK(error == cudaSuccess, what, ": ", cudaGetErrorString(error));
  static const bool blocking = std::getenv("AVG_POOL_DEBUG") != nullptr;
  if (blocking) {
    const cudaError_t later = cudaDeviceSynchronize();
    TORCH_CHECK(later == cudaSuccess, what, " failed: ", cudaGetErrorString(later));
  }
}

__global__ void avg_pool_kernel(const float* __restrict__ x, float* __restrict__ y, int height, int width,
                                int rows, int columns, int window, int total) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
    const int column = i % columns, row = (i / columns) % rows, plane = i / (columns * rows);
    const float* corner = x + ((size_t)plane * height + row * window) * width + column * window;
    float sum = 0.0f;
    for (int a = 0; a < window; ++a)
      for (int b = 0; b < window; ++b) sum += corner[a * width + b];
    y[i] = sum / (window * window);
  }
}

torch::Tensor avg_pool(torch::Tensor x, int64_t window) {
  TORCH_CHECK(x.dim() == 4, "expected N, C, H, W");
  const int height = x.size(2), width = x.size(3), rows = height / window, columns = width / window;
  auto y = torch::empty({x.size(0), x.size(1), rows, columns}, x.options());
  const int total = static_cast<int>(y.numel());
  if (total > 0) {
    avg_pool_kernel<<<(total + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), height, width,
                                                  rows, columns, static_cast<int>(window), total);
    check_launch("avg_pool_kernel");
  }
  return y;
}
"""
ext = load_inline(name="avg_pool_ext", cpp_sources=CPP, cuda_sources=CUDA, functions=["avg_pool"])


class ModelNew(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, x):
        return ext.avg_pool(x.contiguous(), self.window)
