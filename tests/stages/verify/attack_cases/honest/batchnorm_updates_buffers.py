# task: batch_norm_train
# expect: correct
# why: one block per channel computes mean and biased variance in two passes and updates the running statistics itself
import threading

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_CPP = """
torch::Tensor bn_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor running_mean,
                         torch::Tensor running_var, torch::Tensor batches, bool training, double momentum, double eps);
"""
_CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

constexpr int kThreads = 256;

__device__ double block_sum(double v, double* shared) {
  shared[threadIdx.x] = v;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  const double total = shared[0];
  __syncthreads();
  return total;
}

__global__ void bn_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                          const float* __restrict__ bias, float* __restrict__ running_mean,
                          float* __restrict__ running_var, int64_t* __restrict__ batches,
                          float* __restrict__ y, int batch, int channels, int plane, bool training,
                          float momentum, float eps) {
  __shared__ double shared[kThreads];
  const int c = blockIdx.x;
  const int count = batch * plane;
  float mean, var;
  if (training) {
    double sum = 0;
    for (int i = threadIdx.x; i < count; i += kThreads)
      sum += x[(size_t)(i / plane * channels + c) * plane + i % plane];
    const double m = block_sum(sum, shared) / count;
    double squares = 0;
    for (int i = threadIdx.x; i < count; i += kThreads) {
      const double d = x[(size_t)(i / plane * channels + c) * plane + i % plane] - m;
      squares += d * d;
    }
    const double m2 = block_sum(squares, shared);
    mean = (float)m;
    var = (float)(m2 / count);
    if (threadIdx.x == 0) {
      running_mean[c] = (1.f - momentum) * running_mean[c] + momentum * mean;
      running_var[c] = (1.f - momentum) * running_var[c] + momentum * (float)(m2 / (count - 1));
      if (c == 0) *batches += 1;
    }
  } else {
    mean = running_mean[c];
    var = running_var[c];
  }
  const float scale = weight[c] * (1.f / sqrtf(var + eps));
  const float b = bias[c];
  for (int i = threadIdx.x; i < count; i += kThreads) {
    const size_t at = (size_t)(i / plane * channels + c) * plane + i % plane;
    y[at] = (x[at] - mean) * scale + b;
  }
}

torch::Tensor bn_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor running_mean,
                         torch::Tensor running_var, torch::Tensor batches, bool training, double momentum, double eps) {
  TORCH_CHECK(x.dim() == 4 && x.is_contiguous());
  TORCH_CHECK(batches.scalar_type() == torch::kLong);
  TORCH_CHECK(!training || x.size(0) * x.size(2) * x.size(3) > 1, "Expected more than 1 value per channel when training");
  auto y = torch::empty_like(x);
  bn_kernel<<<x.size(1), kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), running_mean.data_ptr<float>(),
      running_var.data_ptr<float>(), batches.data_ptr<int64_t>(), y.data_ptr<float>(), x.size(0), x.size(1),
      x.size(2) * x.size(3), training, momentum, eps);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

_lock = threading.Lock()
_extension = None


def _get_extension():
    """Builds the extension the first time that a model is constructed."""
    global _extension
    with _lock:
        if _extension is None:
            _extension = load_inline(name="bn_train_eval", cpp_sources=_CPP, cuda_sources=_CUDA, functions=["bn_forward"])
    return _extension


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)
        self.extension = _get_extension()

    def forward(self, x):
        bn = self.bn
        return self.extension.bn_forward(x, bn.weight, bn.bias, bn.running_mean, bn.running_var,
                                         bn.num_batches_tracked, bn.training, bn.momentum, bn.eps)
