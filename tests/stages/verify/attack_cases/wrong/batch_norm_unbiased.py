# task: ../../tasks/batch_norm
# expect: refused
# why: in training mode BatchNorm normalises by the biased variance (n = 168); this divides by n - 1 for the output too, which is off by 0.3 %
# in the variance (1.5e-3 of each value) at the task's own size.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

template <int kThreads>
__global__ void bn_train(const float* __restrict__ x, const float* __restrict__ gamma,
                         const float* __restrict__ beta, float* __restrict__ running_mean,
                         float* __restrict__ running_var, float* __restrict__ y,
                         int N, int C, int HW, float eps, float momentum) {
  __shared__ float sh[kThreads];
  const int c = blockIdx.x;
  const int n = N * HW;

  float acc = 0.f;
  for (int i = threadIdx.x; i < n; i += kThreads) {
    const int b = i / HW, p = i - b * HW;
    acc += x[((size_t)b * C + c) * HW + p];
  }
  sh[threadIdx.x] = acc;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) sh[threadIdx.x] += sh[threadIdx.x + s];
    __syncthreads();
  }
  const float mean = sh[0] / n;
  __syncthreads();

  acc = 0.f;
  for (int i = threadIdx.x; i < n; i += kThreads) {
    const int b = i / HW, p = i - b * HW;
    const float d = x[((size_t)b * C + c) * HW + p] - mean;
    acc += d * d;
  }
  sh[threadIdx.x] = acc;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) sh[threadIdx.x] += sh[threadIdx.x + s];
    __syncthreads();
  }
  const float var = sh[0] / (n - 1);
  const float rstd = rsqrtf(var + eps);

  if (threadIdx.x == 0) {
    running_mean[c] = (1.f - momentum) * running_mean[c] + momentum * mean;
    running_var[c] = (1.f - momentum) * running_var[c] + momentum * var;
  }
  const float g = gamma[c] * rstd, b0 = beta[c];
  for (int i = threadIdx.x; i < n; i += kThreads) {
    const int b = i / HW, p = i - b * HW;
    const size_t at = ((size_t)b * C + c) * HW + p;
    y[at] = (x[at] - mean) * g + b0;
  }
}

__global__ void bn_eval(const float* x, const float* gamma, const float* beta, const float* mean,
                        const float* var, float* y, int C, int HW, int total, float eps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  int c = (i / HW) % C;
  y[i] = (x[i] - mean[c]) * rsqrtf(var[c] + eps) * gamma[c] + beta[c];
}

torch::Tensor batch_norm(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta,
                         torch::Tensor running_mean, torch::Tensor running_var, bool training,
                         double momentum, double eps) {
  x = x.contiguous();
  const int N = x.size(0), C = x.size(1), HW = x.size(2) * x.size(3);
  auto y = torch::empty_like(x);
  auto stream = c10::cuda::getCurrentCUDAStream();
  if (training) {
    bn_train<128><<<C, 128, 0, stream>>>(
        x.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(),
        running_mean.data_ptr<float>(), running_var.data_ptr<float>(), y.data_ptr<float>(), N, C,
        HW, (float)eps, (float)momentum);
  } else {
    const int total = x.numel();
    bn_eval<<<(total + 255) / 256, 256, 0, stream>>>(
        x.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(),
        running_mean.data_ptr<float>(), running_var.data_ptr<float>(), y.data_ptr<float>(), C, HW,
        total, (float)eps);
  }
  return y;
}
"""

ext = load_inline(
    name="batch_norm_unbiased",
    cpp_sources="torch::Tensor batch_norm(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta,"
                " torch::Tensor running_mean, torch::Tensor running_var, bool training,"
                " double momentum, double eps);",
    cuda_sources=source,
    functions=["batch_norm"],
)


class ModelNew(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.bn = nn.BatchNorm2d(num_features)

    def forward(self, x):
        bn = self.bn
        if self.training:
            bn.num_batches_tracked.add_(1)
        return ext.batch_norm(x, bn.weight, bn.bias, bn.running_mean, bn.running_var,
                              self.training, bn.momentum, bn.eps)
