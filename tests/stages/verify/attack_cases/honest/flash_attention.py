# task: attention
# expect: correct
# why: a thread owns one query; tiles of 32 keys and values go through shared memory with an online softmax
import math

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

HEAD_DIM = 32

_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

namespace {

constexpr int kDim = 32;        // head dimension
constexpr int kVec = kDim / 4;
constexpr int kQueries = 64;    // queries per block, one per thread
constexpr int kKeys = 32;       // keys per tile

__device__ __forceinline__ float dot4(const float4& a, const float4& b) {
  return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
}

__global__ void __launch_bounds__(kQueries)
attention_kernel(const float4* __restrict__ q, const float4* __restrict__ k, const float4* __restrict__ v,
                 float4* __restrict__ out, int seq, float scale) {
  __shared__ float4 ks[kKeys][kVec];
  __shared__ float4 vs[kKeys][kVec];

  const size_t head = (size_t)blockIdx.y * seq * kVec;
  const int query = blockIdx.x * kQueries + threadIdx.x;

  float4 mine[kVec], acc[kVec];
#pragma unroll
  for (int i = 0; i < kVec; ++i) {
    mine[i] = q[head + (size_t)query * kVec + i];
    acc[i] = make_float4(0.f, 0.f, 0.f, 0.f);
  }
  float m = -INFINITY, l = 0.f;

  auto load_tile = [&](int first) {
    for (int i = threadIdx.x; i < kKeys * kVec; i += kQueries) {
      ks[i / kVec][i % kVec] = k[head + (size_t)first * kVec + i];
      vs[i / kVec][i % kVec] = v[head + (size_t)first * kVec + i];
    }
  };

  for (int first = 0; first < seq; first += kKeys) {
    __syncthreads();  // the previous tile has been read
    load_tile(first);
    __syncthreads();

    float s[kKeys];
    float tile_max = -INFINITY;
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
      float sum = 0.f;
#pragma unroll
      for (int i = 0; i < kVec; ++i) sum += dot4(mine[i], ks[j][i]);
      s[j] = sum * scale;
      tile_max = fmaxf(tile_max, s[j]);
    }
    const float m_new = fmaxf(m, tile_max);
    const float rescale = m == m_new ? 1.f : expf(m - m_new);
    l *= rescale;
#pragma unroll
    for (int i = 0; i < kVec; ++i) {
      acc[i].x *= rescale;
      acc[i].y *= rescale;
      acc[i].z *= rescale;
      acc[i].w *= rescale;
    }
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
      const float p = expf(s[j] - m_new);
      l += p;
#pragma unroll
      for (int i = 0; i < kVec; ++i) {
        const float4 value = vs[j][i];
        acc[i].x = fmaf(p, value.x, acc[i].x);
        acc[i].y = fmaf(p, value.y, acc[i].y);
        acc[i].z = fmaf(p, value.z, acc[i].z);
        acc[i].w = fmaf(p, value.w, acc[i].w);
      }
    }
    m = m_new;
  }
#pragma unroll
  for (int i = 0; i < kVec; ++i)
    out[head + (size_t)query * kVec + i] = make_float4(acc[i].x / l, acc[i].y / l, acc[i].z / l, acc[i].w / l);
}

}  // namespace

torch::Tensor attention(torch::Tensor q, torch::Tensor k, torch::Tensor v, double scale) {
  for (const auto& t : {q, k, v}) {
    TORCH_CHECK(t.is_cuda() && t.is_contiguous() && t.scalar_type() == torch::kFloat);
    TORCH_CHECK(t.sizes() == q.sizes(), "q, k and v must have one shape");
  }
  const int heads = q.size(0) * q.size(1), seq = q.size(2);
  TORCH_CHECK(q.size(3) == kDim, "head dimension must be ", kDim);
  TORCH_CHECK(seq % kQueries == 0 && seq % kKeys == 0, "sequence length must be a multiple of ", kQueries);
  auto out = torch::empty_like(q);
  const auto as4 = [](const torch::Tensor& t) { return reinterpret_cast<const float4*>(t.data_ptr<float>()); };
  attention_kernel<<<dim3(seq / kQueries, heads), kQueries, 0, at::cuda::getCurrentCUDAStream()>>>(
      as4(q), as4(k), as4(v), reinterpret_cast<float4*>(out.data_ptr<float>()), seq, (float)scale);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

flash = load_inline(
    name="flash_attention_f32",
    cpp_sources="torch::Tensor attention(torch::Tensor q, torch::Tensor k, torch::Tensor v, double scale);",
    cuda_sources=_src,
    functions=["attention"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 1.0 / math.sqrt(HEAD_DIM)

    def forward(self, q, k, v):
        return flash.attention(q, k, v, self.scale)
