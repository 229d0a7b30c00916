# task: ../../tasks/batch_norm
# expect: correct
# why: statistics in one kernel (two passes, biased for the output, unbiased for running_var, counter too), the affine map in another with a scale and a
# shift for each channel; eval() uses the running statistics.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

constexpr int kThreads = 256;

__device__ float block_sum(float v) {
  __shared__ float warps[kThreads / 32];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  __syncthreads();                       // the last call's values have been read
  if ((threadIdx.x & 31) == 0) warps[threadIdx.x >> 5] = v;
  __syncthreads();
  float sum = 0.f;
#pragma unroll
  for (int w = 0; w < kThreads / 32; ++w) sum += warps[w];
  return sum;
}

__global__ void bn_statistics(const float* __restrict__ x, const float* __restrict__ weight,
                              const float* __restrict__ bias, float* running_mean, float* running_var,
                              float2* __restrict__ map, int N, int C, int HW, float momentum,
                              float eps) {
  const int c = blockIdx.x;
  const long long n = (long long)N * HW;
  float sum = 0.f;
  for (long long i = threadIdx.x; i < n; i += kThreads)
    sum += x[(i / HW * C + c) * HW + i % HW];
  const float mean = block_sum(sum) / n;
  float squares = 0.f;
  for (long long i = threadIdx.x; i < n; i += kThreads) {
    const float d = x[(i / HW * C + c) * HW + i % HW] - mean;
    squares += d * d;
  }
  squares = block_sum(squares);
  if (threadIdx.x == 0) {
    const float scale = weight[c] / sqrtf(squares / n + eps);
    map[c] = make_float2(scale, bias[c] - mean * scale);
    if (running_mean != nullptr) {
      running_mean[c] += momentum * (mean - running_mean[c]);
      running_var[c] += momentum * (squares / (n > 1 ? n - 1 : 1) - running_var[c]);
    }
  }
}

__global__ void bn_running_map(const float* weight, const float* bias, const float* mean,
                               const float* var, float2* map, int C, float eps) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= C) return;
  const float scale = weight[c] / sqrtf(var[c] + eps);
  map[c] = make_float2(scale, bias[c] - mean[c] * scale);
}

__global__ void bn_apply(const float* __restrict__ x, const float2* __restrict__ map,
                         float* __restrict__ y, int C, int HW) {
  const size_t plane = blockIdx.x;
  const float2 m = map[plane % C];
  for (int i = threadIdx.x; i < HW; i += blockDim.x)
    y[plane * HW + i] = fmaf(x[plane * HW + i], m.x, m.y);
}

torch::Tensor batch_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias,
                         torch::Tensor running_mean, torch::Tensor running_var, bool training,
                         double momentum, double eps) {
  x = x.contiguous();
  const int N = x.size(0), C = x.size(1), HW = x.size(2) * x.size(3);
  auto y = torch::empty_like(x);
  auto map = torch::empty({C, 2}, x.options());
  float2* m = reinterpret_cast<float2*>(map.data_ptr<float>());
  auto stream = at::cuda::getCurrentCUDAStream();
  if (training) {
    bn_statistics<<<C, kThreads, 0, stream>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
        running_mean.data_ptr<float>(), running_var.data_ptr<float>(), m, N, C, HW, (float)momentum,
        (float)eps);
  } else {
    bn_running_map<<<(C + 127) / 128, 128, 0, stream>>>(
        weight.data_ptr<float>(), bias.data_ptr<float>(), running_mean.data_ptr<float>(),
        running_var.data_ptr<float>(), m, C, (float)eps);
  }
  bn_apply<<<N * C, 128, 0, stream>>>(x.data_ptr<float>(), m, y.data_ptr<float>(), C, HW);
  return y;
}
"""

bn_ext = load_inline(
    name="batch_norm_two_kernels",
    cpp_sources="""torch::Tensor batch_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias,
        torch::Tensor running_mean, torch::Tensor running_var, bool training, double momentum, double eps);""",
    cuda_sources=source,
    functions=["batch_norm"],
)


class ModelNew(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.bn = nn.BatchNorm2d(num_features)

    def forward(self, x):
        bn = self.bn
        training = bn.training
        if training:
            bn.num_batches_tracked.add_(1)
        return bn_ext.batch_norm(x, bn.weight.detach(), bn.bias.detach(), bn.running_mean,
                                 bn.running_var, training, bn.momentum, bn.eps)
