# task: softmax_scaled
# expect: correct
# why: a dataclass and a sorted table choose threads and warps per row by the width with next() over a generator; the C++ side dispatches over template arguments with a map of launchers
import dataclasses
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


@dataclasses.dataclass(frozen=True)
class LaunchConfig:
    limit: int
    threads: int


CONFIGS = (LaunchConfig(128, 32), LaunchConfig(512, 128), LaunchConfig(1 << 30, 256))

CPP = "torch::Tensor softmax(torch::Tensor x, double scale, int64_t threads);"
CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

#include <map>

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

template <int THREADS>
__device__ float block_max(float value) {
  __shared__ float parts[THREADS];
  parts[threadIdx.x] = value;
  __syncthreads();
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) parts[threadIdx.x] = fmaxf(parts[threadIdx.x], parts[threadIdx.x + s]);
    __syncthreads();
  }
  const float most = parts[0];
  __syncthreads();
  return most;
}

template <int THREADS>
__global__ void softmax_kernel(const float* x, float* y, int width, float scale) {
  const float* row = x + (size_t)blockIdx.x * width;
  float most = -INFINITY;
  for (int i = threadIdx.x; i < width; i += THREADS) most = fmaxf(most, row[i] * scale);
  most = block_max<THREADS>(most);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < width; i += THREADS) sum += expf(row[i] * scale - most);
  const float inverse = 1.0f / block_sum<THREADS>(sum);
  for (int i = threadIdx.x; i < width; i += THREADS)
    y[(size_t)blockIdx.x * width + i] = expf(row[i] * scale - most) * inverse;
}

template <int THREADS>
void launch(const float* x, float* y, int rows, int width, float scale, cudaStream_t stream) {
  softmax_kernel<THREADS><<<rows, THREADS, 0, stream>>>(x, y, width, scale);
}

torch::Tensor softmax(torch::Tensor x, double scale, int64_t threads) {
  using Launcher = void (*)(const float*, float*, int, int, float, cudaStream_t);
  static const std::map<int64_t, Launcher> kLaunchers = {
      {32, &launch<32>}, {128, &launch<128>}, {256, &launch<256>}};
  const auto found = kLaunchers.find(threads);
  TORCH_CHECK(found != kLaunchers.end(), "no kernel with ", threads, " threads");
  auto y = torch::empty_like(x);
  const int width = x.size(-1), rows = x.numel() / width;
  found->second(x.data_ptr<float>(), y.data_ptr<float>(), rows, width, (float)scale,
                at::cuda::getCurrentCUDAStream());
  return y;
}
"""
ext = load_inline(name="softmax_configs", cpp_sources=CPP, cuda_sources=CUDA, functions=["softmax"])


def config_for(width: int) -> LaunchConfig:
    return next(config for config in CONFIGS if width <= config.limit)


class ModelNew(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x):
        config = config_for(x.shape[-1])
        return ext.softmax(x.contiguous(), float(self.scale), config.threads)
