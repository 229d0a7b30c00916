# task: layer_norm_affine
# expect: correct
# why: the width is written into the source with string.Template, one extension for each width, cached by functools.lru_cache; getattr finds the function by its name with the width
import functools
import string
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = string.Template("torch::Tensor layer_norm_$width(torch::Tensor x, torch::Tensor w, torch::Tensor b, double eps);")
CUDA = string.Template(r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

template <typename T>
__device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

template <int THREADS>
__device__ float block_sum(float value) {
  __shared__ float parts[THREADS / 32];
  __shared__ float result;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warp_sum(value);
  if (lane == 0) parts[warp] = value;
  __syncthreads();
  if (warp == 0) {
    float part = lane < THREADS / 32 ? parts[lane] : 0.0f;
    part = warp_sum(part);
    if (lane == 0) result = part;
  }
  __syncthreads();
  const float sum = result;
  __syncthreads();
  return sum;
}

constexpr int kWidth = $width;
constexpr int kThreads = kWidth >= 1024 ? 256 : kWidth >= 256 ? 128 : 64;
constexpr int kEach = (kWidth + kThreads - 1) / kThreads;

__global__ void __launch_bounds__(kThreads) layer_norm_kernel(
    const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ b,
    float* __restrict__ y, float eps) {
  float mine[kEach];
  const float* row = x + (size_t)blockIdx.x * kWidth;
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int i = k * kThreads + threadIdx.x;
    mine[k] = i < kWidth ? row[i] : 0.0f;
    sum += mine[k];
  }
  const float mean = block_sum<kThreads>(sum) / kWidth;
  float squares = 0.0f;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int i = k * kThreads + threadIdx.x;
    if (i < kWidth) squares += (mine[k] - mean) * (mine[k] - mean);
  }
  const float scale = rsqrtf(block_sum<kThreads>(squares) / kWidth + eps);
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int i = k * kThreads + threadIdx.x;
    if (i < kWidth) y[(size_t)blockIdx.x * kWidth + i] = (mine[k] - mean) * scale * w[i] + b[i];
  }
}

torch::Tensor layer_norm_$width(torch::Tensor x, torch::Tensor w, torch::Tensor b, double eps) {
  TORCH_CHECK(x.size(-1) == kWidth, "built for another width");
  auto y = torch::empty_like(x);
  layer_norm_kernel<<<x.numel() / kWidth, kThreads>>>(x.data_ptr<float>(), w.data_ptr<float>(),
                                                      b.data_ptr<float>(), y.data_ptr<float>(), (float)eps);
  return y;
}
""")


@functools.lru_cache(maxsize=None)
def build(width: int):
    name = f"layer_norm_{width}"
    module = load_inline(name=name, cpp_sources=CPP.substitute(width=width),
                         cuda_sources=CUDA.substitute(width=width), functions=[name])
    return getattr(module, name)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        kernel = build(x.shape[-1])
        return kernel(x.contiguous(), self.norm.weight, self.norm.bias, self.norm.eps)
