# task: ../../tasks/layer_norm
# expect: correct
# why: Welford's method with merges over shuffles and shared memory, behind a torch.autograd.Function that has a backward kernel of its own.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

struct Welford {
  float mean, m2, count;
};

__device__ __forceinline__ Welford merge(const Welford& a, const Welford& b) {
  const float count = a.count + b.count;
  if (count == 0.f) return Welford{0.f, 0.f, 0.f};
  const float delta = b.mean - a.mean;
  const float share = b.count / count;
  return Welford{a.mean + delta * share, a.m2 + b.m2 + delta * delta * a.count * share, count};
}

__device__ __forceinline__ Welford warp_merge(Welford w) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) {
    Welford other;
    other.mean = __shfl_down_sync(0xffffffffu, w.mean, o);
    other.m2 = __shfl_down_sync(0xffffffffu, w.m2, o);
    other.count = __shfl_down_sync(0xffffffffu, w.count, o);
    w = merge(w, other);
  }
  return w;
}

template <int kThreads>
__global__ void __launch_bounds__(kThreads)
layer_norm_forward(const float* __restrict__ x, const float* __restrict__ gamma,
                   const float* __restrict__ beta, float* __restrict__ y, float* __restrict__ mean_out,
                   float* __restrict__ rstd_out, int width, float eps) {
  constexpr int kWarps = kThreads / 32;
  __shared__ Welford parts[kWarps];
  __shared__ float stats[2];
  const float* row = x + (size_t)blockIdx.x * width;

  Welford w{0.f, 0.f, 0.f};
  for (int i = threadIdx.x; i < width; i += kThreads) {
    const float v = row[i];
    w.count += 1.f;
    const float delta = v - w.mean;
    w.mean += delta / w.count;
    w.m2 += delta * (v - w.mean);
  }
  w = warp_merge(w);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = w;
  __syncthreads();
  if (threadIdx.x == 0) {
    Welford all = parts[0];
    for (int i = 1; i < kWarps; ++i) all = merge(all, parts[i]);
    stats[0] = all.mean;
    stats[1] = rsqrtf(all.m2 / all.count + eps);
    mean_out[blockIdx.x] = stats[0];
    rstd_out[blockIdx.x] = stats[1];
  }
  __syncthreads();
  const float mean = stats[0], rstd = stats[1];
  for (int i = threadIdx.x; i < width; i += kThreads)
    y[(size_t)blockIdx.x * width + i] = (row[i] - mean) * rstd * gamma[i] + beta[i];
}

// dx for one row; dgamma and dbeta by atomics over the rows
__global__ void layer_norm_backward(const float* __restrict__ dy, const float* __restrict__ x,
                                    const float* __restrict__ gamma, const float* __restrict__ mean,
                                    const float* __restrict__ rstd, float* __restrict__ dx,
                                    float* dgamma, float* dbeta, int width) {
  __shared__ float a[128], b[128];
  const size_t base = (size_t)blockIdx.x * width;
  const float mu = mean[blockIdx.x], rs = rstd[blockIdx.x];
  float sa = 0.f, sb = 0.f;
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    const float g = dy[base + i] * gamma[i], xh = (x[base + i] - mu) * rs;
    sa += g;
    sb += g * xh;
    atomicAdd(dgamma + i, dy[base + i] * xh);
    atomicAdd(dbeta + i, dy[base + i]);
  }
  a[threadIdx.x] = sa;
  b[threadIdx.x] = sb;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (threadIdx.x < s) {
      a[threadIdx.x] += a[threadIdx.x + s];
      b[threadIdx.x] += b[threadIdx.x + s];
    }
    __syncthreads();
  }
  const float ma = a[0] / width, mb = b[0] / width;
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    const float g = dy[base + i] * gamma[i], xh = (x[base + i] - mu) * rs;
    dx[base + i] = rs * (g - ma - xh * mb);
  }
}

std::vector<torch::Tensor> forward(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, double eps) {
  const int width = gamma.numel();
  const int rows = x.numel() / width;
  auto y = torch::empty_like(x);
  auto mean = torch::empty({rows}, x.options()), rstd = torch::empty({rows}, x.options());
  layer_norm_forward<128><<<rows, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(), y.data_ptr<float>(),
      mean.data_ptr<float>(), rstd.data_ptr<float>(), width, (float)eps);
  return {y, mean, rstd};
}

std::vector<torch::Tensor> backward(torch::Tensor dy, torch::Tensor x, torch::Tensor gamma,
                                    torch::Tensor mean, torch::Tensor rstd) {
  const int width = gamma.numel();
  const int rows = x.numel() / width;
  auto dx = torch::empty_like(x);
  auto dgamma = torch::zeros_like(gamma), dbeta = torch::zeros_like(gamma);
  layer_norm_backward<<<rows, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
      dy.data_ptr<float>(), x.data_ptr<float>(), gamma.data_ptr<float>(), mean.data_ptr<float>(),
      rstd.data_ptr<float>(), dx.data_ptr<float>(), dgamma.data_ptr<float>(),
      dbeta.data_ptr<float>(), width);
  return {dx, dgamma, dbeta};
}
"""

_ln = load_inline(
    name="layer_norm_welford_autograd",
    cpp_sources=[
        "std::vector<torch::Tensor> forward(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, double eps);",
        "std::vector<torch::Tensor> backward(torch::Tensor dy, torch::Tensor x, torch::Tensor gamma, torch::Tensor mean, torch::Tensor rstd);",
    ],
    cuda_sources=cuda_source,
    functions=["forward", "backward"],
)


class LayerNormFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gamma, beta, eps):
        x, gamma, beta = x.contiguous(), gamma.contiguous(), beta.contiguous()
        y, mean, rstd = _ln.forward(x, gamma, beta, eps)
        ctx.save_for_backward(x, gamma, mean, rstd)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, gamma, mean, rstd = ctx.saved_tensors
        dx, dgamma, dbeta = _ln.backward(dy.contiguous(), x, gamma, mean, rstd)
        return dx, dgamma, dbeta, None


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape)

    def forward(self, x):
        return LayerNormFunction.apply(x, self.ln.weight, self.ln.bias, self.ln.eps)
