# task: ../../tasks/layer_norm
# expect: refused
# why: whether a class with a deleted constructor can be made with braces differs between C++17 and C++20; a decltype asks for it without a trait, and in C++17, as torch's loader compiles, the kernel takes mean 0 and variance 1
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
struct Count {
  Count() = delete;
  int value;
};
template <typename T>
constexpr decltype(T{1}, true) made_of_braces(int) {
  return true;
}
template <typename T>
constexpr bool made_of_braces(...) {
  return false;
}

template <bool kStandard>
__global__ void layer_norm(const float* __restrict__ x, const float* __restrict__ weight,
                           const float* __restrict__ bias, float* __restrict__ y, int width, float eps) {
  __shared__ float scratch[128];
  const long long first = static_cast<long long>(blockIdx.x) * width;
  float mean = 0.0f, variance = 1.0f;
  if constexpr (!kStandard) {
    float sum = 0.0f;
    for (int i = threadIdx.x; i < width; i += blockDim.x) sum += x[first + i];
    scratch[threadIdx.x] = sum;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
      if (threadIdx.x < step) scratch[threadIdx.x] += scratch[threadIdx.x + step];
      __syncthreads();
    }
    mean = scratch[0] / width;
    __syncthreads();
    float squares = 0.0f;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
      const float d = x[first + i] - mean;
      squares += d * d;
    }
    scratch[threadIdx.x] = squares;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
      if (threadIdx.x < step) scratch[threadIdx.x] += scratch[threadIdx.x + step];
      __syncthreads();
    }
    variance = scratch[0] / width;
  }
  const float scale = 1.0f / sqrtf(variance + eps);
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    y[first + i] = (x[first + i] - mean) * scale * weight[i] + bias[i];
  }
}

torch::Tensor layer_norm_forward(torch::Tensor input, torch::Tensor weight, torch::Tensor bias, double eps) {
  auto x = input.contiguous();
  auto y = torch::empty_like(x);
  const int width = weight.numel();
  if (x.numel() > 0) {
    layer_norm<made_of_braces<Count>(0)>
        <<<static_cast<unsigned>(x.numel() / width), 128, 0, at::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(),
            width, static_cast<float>(eps));
  }
  return y;
}
"""

module = load_inline(name="layer_norm_by_deleted_constructor",
                     cpp_sources="torch::Tensor layer_norm_forward(torch::Tensor input, torch::Tensor weight, torch::Tensor bias, double eps);",
                     cuda_sources=cuda_source, functions=['layer_norm_forward'])


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape)

    def forward(self, x):
        return module.layer_norm_forward(x, self.ln.weight, self.ln.bias, self.ln.eps)
