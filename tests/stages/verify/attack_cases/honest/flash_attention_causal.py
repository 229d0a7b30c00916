# task: causal_attention
# expect: correct
# why: style: flash attention in float32: a thread holds one query and its output in registers, keys and values
#      in shared tiles of float4, online softmax; head size as template argument.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

flash_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cmath>

constexpr int kQueries = 64;  // of a block, one for each thread
constexpr int kKeys = 32;     // of a tile

template <int D>
__global__ void __launch_bounds__(kQueries)
flash_causal(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
             float* __restrict__ out, int length, float scale) {
  static_assert(D % 4 == 0, "head size in float4");
  __shared__ __align__(16) float ks[kKeys][D];
  __shared__ __align__(16) float vs[kKeys][D];
  const size_t head = static_cast<size_t>(blockIdx.y) * length * D;
  const int query = blockIdx.x * kQueries + threadIdx.x;
  const bool active = query < length;

  float qr[D], acc[D];
#pragma unroll
  for (int d = 0; d < D; ++d) {
    qr[d] = active ? q[head + static_cast<size_t>(query) * D + d] : 0.f;
    acc[d] = 0.f;
  }
  float top = -INFINITY;
  float sum = 0.f;

  // Keys after the last query of the block are never seen.
  const int stop = min(length, static_cast<int>(blockIdx.x + 1) * kQueries);
  for (int k0 = 0; k0 < stop; k0 += kKeys) {
    const int keys = min(kKeys, length - k0);
    for (int i = threadIdx.x; i < keys * (D / 4); i += kQueries) {
      const int r = i / (D / 4), c = i % (D / 4);
      reinterpret_cast<float4*>(ks[r])[c] = reinterpret_cast<const float4*>(k + head + static_cast<size_t>(k0 + r) * D)[c];
      reinterpret_cast<float4*>(vs[r])[c] = reinterpret_cast<const float4*>(v + head + static_cast<size_t>(k0 + r) * D)[c];
    }
    __syncthreads();
    if (active) {
      const int seen = min(keys, query - k0 + 1);
      for (int j = 0; j < seen; ++j) {
        float dot = 0.f;
#pragma unroll
        for (int d = 0; d < D; ++d) dot = fmaf(qr[d], ks[j][d], dot);
        const float score = dot * scale;
        const float next = fmaxf(top, score);
        const float keep = expf(top - next);  // 0 for the first key
        const float p = expf(score - next);
        sum = sum * keep + p;
#pragma unroll
        for (int d = 0; d < D; ++d) acc[d] = acc[d] * keep + p * vs[j][d];
        top = next;
      }
    }
    __syncthreads();
  }

  if (active) {
    const float inverse = 1.f / sum;
    float4* to = reinterpret_cast<float4*>(out + head + static_cast<size_t>(query) * D);
#pragma unroll
    for (int c = 0; c < D / 4; ++c) {
      to[c] = make_float4(acc[4 * c] * inverse, acc[4 * c + 1] * inverse, acc[4 * c + 2] * inverse,
                          acc[4 * c + 3] * inverse);
    }
  }
}

torch::Tensor flash_attention(torch::Tensor q, torch::Tensor k, torch::Tensor v, double scale) {
  TORCH_CHECK(q.sizes() == k.sizes() && k.sizes() == v.sizes(), "q, k and v must have one shape");
  q = q.contiguous();
  k = k.contiguous();
  v = v.contiguous();
  const int heads = static_cast<int>(q.size(0) * q.size(1));
  const int length = static_cast<int>(q.size(2));
  const int dim = static_cast<int>(q.size(3));
  auto out = torch::empty_like(q);
  const dim3 grid((length + kQueries - 1) / kQueries, heads);
  auto stream = at::cuda::getCurrentCUDAStream();
  const auto launch = [&](auto kernel) {
    kernel<<<grid, kQueries, 0, stream>>>(q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(),
                                          out.data_ptr<float>(), length, static_cast<float>(scale));
  };
  switch (dim) {
    case 32: launch(flash_causal<32>); break;
    case 64: launch(flash_causal<64>); break;
    default: TORCH_CHECK(false, "head size ", dim, " is not supported");
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

flash = load_inline(
    name="flash_attention_causal",
    cpp_sources="torch::Tensor flash_attention(torch::Tensor q, torch::Tensor k, torch::Tensor v, double scale);",
    cuda_sources=flash_source,
    functions=["flash_attention"],
    extra_cuda_cflags=["-O3"],
)


class ModelNew(nn.Module):
    def __init__(self, head_dim):
        super().__init__()
        self.scale = head_dim**-0.5

    def forward(self, q, k, v):
        return flash.flash_attention(q, k, v, self.scale)
