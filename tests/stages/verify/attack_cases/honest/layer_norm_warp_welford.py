# task: layer_norm_h
# expect: correct
# why: style: a warp a row, Welford's moments merged by Chan's formula over shuffles, vector type as template
#      argument; the affine parameters stay in nn.LayerNorm, which is never called.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SRC = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAException.h>

namespace ln {

struct Moments {
  float mean = 0.f;
  float m2 = 0.f;
  float count = 0.f;

  __device__ __forceinline__ void push(float x) {
    count += 1.f;
    const float delta = x - mean;
    mean += delta / count;
    m2 += delta * (x - mean);
  }
  __device__ __forceinline__ void merge(const Moments& other) {
    if (other.count == 0.f) return;
    const float total = count + other.count;
    const float delta = other.mean - mean;
    const float share = other.count / total;
    mean += delta * share;
    m2 += other.m2 + delta * delta * count * share;
    count = total;
  }
};

__device__ __forceinline__ Moments shuffle_down(const Moments& m, int by) {
  Moments r;
  r.mean = __shfl_down_sync(0xffffffffu, m.mean, by);
  r.m2 = __shfl_down_sync(0xffffffffu, m.m2, by);
  r.count = __shfl_down_sync(0xffffffffu, m.count, by);
  return r;
}

template <typename Vec> struct Lanes;
template <> struct Lanes<float> { static constexpr int kCount = 1; };
template <> struct Lanes<float2> { static constexpr int kCount = 2; };
template <> struct Lanes<float4> { static constexpr int kCount = 4; };

template <typename Vec>
__global__ void __launch_bounds__(128)
kernel(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
       float* __restrict__ y, int rows, int features, float eps) {
  constexpr int kLanes = Lanes<Vec>::kCount;
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  const int lane = threadIdx.x & 31;
  if (warp >= rows) return;  // whole warps only
  const Vec* in = reinterpret_cast<const Vec*>(x + static_cast<size_t>(warp) * features);
  const Vec* w = reinterpret_cast<const Vec*>(gamma);
  const Vec* b = reinterpret_cast<const Vec*>(beta);
  Vec* out = reinterpret_cast<Vec*>(y + static_cast<size_t>(warp) * features);
  const int vectors = features / kLanes;

  Moments m;
  for (int i = lane; i < vectors; i += 32) {
    const Vec v = in[i];
    const float* e = reinterpret_cast<const float*>(&v);
#pragma unroll
    for (int k = 0; k < kLanes; ++k) m.push(e[k]);
  }
#pragma unroll
  for (int by = 16; by > 0; by >>= 1) {
    const Moments other = shuffle_down(m, by);
    if (lane < by) m.merge(other);
  }
  const float mean = __shfl_sync(0xffffffffu, m.mean, 0);
  const float m2 = __shfl_sync(0xffffffffu, m.m2, 0);
  const float rstd = rsqrtf(m2 / static_cast<float>(features) + eps);

  for (int i = lane; i < vectors; i += 32) {
    const Vec v = in[i];
    const Vec g = w[i];
    const Vec c = b[i];
    Vec r;
    const float* ve = reinterpret_cast<const float*>(&v);
    const float* ge = reinterpret_cast<const float*>(&g);
    const float* ce = reinterpret_cast<const float*>(&c);
    float* re = reinterpret_cast<float*>(&r);
#pragma unroll
    for (int k = 0; k < kLanes; ++k) re[k] = (ve[k] - mean) * rstd * ge[k] + ce[k];
    out[i] = r;
  }
}

template <typename Vec>
void run(const at::Tensor& x, const at::Tensor& g, const at::Tensor& b, at::Tensor& y, float eps) {
  const int features = static_cast<int>(x.size(-1));
  const int rows = static_cast<int>(x.numel() / features);
  constexpr int kWarps = 4;
  kernel<Vec><<<(rows + kWarps - 1) / kWarps, 32 * kWarps, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), g.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), rows,
      features, eps);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace ln

at::Tensor layer_norm_forward(const at::Tensor& input, const at::Tensor& gamma, const at::Tensor& beta,
                              double eps) {
  TORCH_CHECK(input.size(-1) == gamma.numel() && gamma.numel() == beta.numel());
  const at::cuda::OptionalCUDAGuard guard(at::device_of(input));
  const at::Tensor x = input.contiguous();
  at::Tensor y = at::empty_like(x);
  const auto features = x.size(-1);
  const float e = static_cast<float>(eps);
  if (features % 4 == 0) {
    ln::run<float4>(x, gamma, beta, y, e);
  } else if (features % 2 == 0) {
    ln::run<float2>(x, gamma, beta, y, e);
  } else {
    ln::run<float>(x, gamma, beta, y, e);
  }
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &layer_norm_forward); }
"""

layer_norm_cuda = load_inline(name="layer_norm_warp_welford", cpp_sources="", cuda_sources=SRC)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        return layer_norm_cuda.forward(x, self.norm.weight, self.norm.bias, self.norm.eps)
