# task: layer_norm_v
# expect: correct
# why: Layer norm by Welford's method, with moments merged across lanes and warps by Chan's formula, and float4 accesses
# where the rows are aligned. A struct with an operator holds the moments.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
#include <cstdint>

namespace welford {

struct Moments {
  float mean = 0.0f, squares = 0.0f, count = 0.0f;

  __device__ __forceinline__ void add(float value) {
    count += 1.0f;
    const float delta = value - mean;
    mean += delta / count;
    squares += delta * (value - mean);
  }
  __device__ __forceinline__ void merge(const Moments& other) {
    const float both = count + other.count;
    if (both == 0.0f) return;
    const float delta = other.mean - mean, share = other.count / both;
    mean += delta * share;
    squares += other.squares + delta * delta * count * share;
    count = both;
  }
  __device__ __forceinline__ Moments from_lane(int offset) const {
    Moments other;
    other.mean = __shfl_down_sync(0xffffffffu, mean, offset);
    other.squares = __shfl_down_sync(0xffffffffu, squares, offset);
    other.count = __shfl_down_sync(0xffffffffu, count, offset);
    return other;
  }
};

template <int kThreads, bool kVector>
__global__ void norm_rows(const float* __restrict__ x, const float* __restrict__ gamma,
                          const float* __restrict__ beta, float* __restrict__ y, int width, float eps) {
  constexpr int kWarps = kThreads / 32;
  __shared__ float means[kWarps], squares[kWarps], counts[kWarps];
  __shared__ float mean, scale;
  const float* row = x + static_cast<size_t>(blockIdx.x) * width;
  float* out = y + static_cast<size_t>(blockIdx.x) * width;

  Moments own;
  if constexpr (kVector) {
    const float4* quads = reinterpret_cast<const float4*>(row);
    for (int i = threadIdx.x; i < width / 4; i += kThreads) {
      const float4 quad = quads[i];
      own.add(quad.x);
      own.add(quad.y);
      own.add(quad.z);
      own.add(quad.w);
    }
  } else {
    for (int i = threadIdx.x; i < width; i += kThreads) own.add(row[i]);
  }
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) own.merge(own.from_lane(offset));
  if (threadIdx.x % 32 == 0) {
    means[threadIdx.x / 32] = own.mean;
    squares[threadIdx.x / 32] = own.squares;
    counts[threadIdx.x / 32] = own.count;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < kWarps; ++i) {
      Moments other;
      other.mean = means[i];
      other.squares = squares[i];
      other.count = counts[i];
      own.merge(other);
    }
    mean = own.mean;
    scale = rsqrtf(own.squares / static_cast<float>(width) + eps);
  }
  __syncthreads();
  const float centre = mean, factor = scale;
  if constexpr (kVector) {
    const float4* quads = reinterpret_cast<const float4*>(row);
    const float4* gammas = reinterpret_cast<const float4*>(gamma);
    const float4* betas = reinterpret_cast<const float4*>(beta);
    for (int i = threadIdx.x; i < width / 4; i += kThreads) {
      const float4 quad = quads[i], g = gammas[i], b = betas[i];
      reinterpret_cast<float4*>(out)[i] =
          make_float4((quad.x - centre) * factor * g.x + b.x, (quad.y - centre) * factor * g.y + b.y,
                      (quad.z - centre) * factor * g.z + b.z, (quad.w - centre) * factor * g.w + b.w);
    }
  } else {
    for (int i = threadIdx.x; i < width; i += kThreads) {
      out[i] = (row[i] - centre) * factor * gamma[i] + beta[i];
    }
  }
}

inline bool aligned(const torch::Tensor& tensor) {
  return reinterpret_cast<uintptr_t>(tensor.data_ptr<float>()) % 16 == 0;
}

}  // namespace welford

torch::Tensor layer_norm(torch::Tensor input, torch::Tensor gamma_in, torch::Tensor beta_in, double eps) {
  auto x = input.contiguous();
  auto gamma = gamma_in.contiguous();
  auto beta = beta_in.contiguous();
  auto y = torch::empty_like(x);
  const int width = gamma.numel();
  TORCH_CHECK(x.size(-1) == width, "the last dimension is normalised");
  if (x.numel() == 0) return y;
  const int rows = x.numel() / width;
  const bool vector = width % 4 == 0 && welford::aligned(x) && welford::aligned(y) &&
                      welford::aligned(gamma) && welford::aligned(beta);
  auto stream = at::cuda::getCurrentCUDAStream();
  const auto kernel = vector ? welford::norm_rows<128, true> : welford::norm_rows<128, false>;
  kernel<<<rows, 128, 0, stream>>>(x.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(),
                                   y.data_ptr<float>(), width, static_cast<float>(eps));
  return y;
}
"""

native = load_inline(
    name="layer_norm_welford",
    cpp_sources="torch::Tensor layer_norm(torch::Tensor input, torch::Tensor gamma_in, torch::Tensor beta_in, double eps);",
    cuda_sources=cuda_source, functions=["layer_norm"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        return native.layer_norm(x, self.norm.weight, self.norm.bias, self.norm.eps)
