# task: attention_half
# expect: correct
# why: a warp a query, halves converted to float, shuffles
import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

KERNELS = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_fp16.h>

// Four warps per block, one query per warp. Keys go through shared memory in tiles of 32: in the
// score phase a lane owns a key, in the value phase it owns two output channels.
static constexpr int kDim = 64, kTile = 32, kWarps = 4, kPad = 2;

__global__ void attn_half(const __half* __restrict__ q, const __half* __restrict__ k,
                          const __half* __restrict__ v, __half* __restrict__ o, int len, float qk_scale) {
  __shared__ __half ks[kTile][kDim + kPad];
  __shared__ __half2 vs[kTile][kDim / 2];
  __shared__ float qs[kWarps][kDim];

  const int lane = threadIdx.x, warp = threadIdx.y;
  const int tid = warp * 32 + lane;
  const int query = blockIdx.x * kWarps + warp;
  const size_t head = (size_t)blockIdx.y * len * kDim;
  const bool live = query < len;

  if (live) {
    const float2 qq = __half22float2(reinterpret_cast<const __half2*>(q + head + (size_t)query * kDim)[lane]);
    qs[warp][2 * lane] = qq.x * qk_scale;
    qs[warp][2 * lane + 1] = qq.y * qk_scale;
  }
  __syncwarp();

  float2 acc = make_float2(0.f, 0.f);
  float m = -INFINITY, l = 0.f;
  for (int t = 0; t < len; t += kTile) {
    const int n = min(kTile, len - t);
    __syncthreads();
    for (int i = tid; i < n * kDim / 2; i += 32 * kWarps) {
      const int r = i / (kDim / 2), c = i % (kDim / 2);
      const size_t at = head + (size_t)(t + r) * kDim + 2 * c;
      *reinterpret_cast<__half2*>(&ks[r][2 * c]) = *reinterpret_cast<const __half2*>(k + at);
      vs[r][c] = *reinterpret_cast<const __half2*>(v + at);
    }
    __syncthreads();
    if (!live) continue;

    float s = -INFINITY;
    if (lane < n) {
      s = 0.f;
#pragma unroll 8
      for (int d = 0; d < kDim; d += 2) {
        const float2 kk = __half22float2(*reinterpret_cast<const __half2*>(&ks[lane][d]));
        s = fmaf(qs[warp][d], kk.x, fmaf(qs[warp][d + 1], kk.y, s));
      }
    }
    float tile_max = s;
    for (int w = 16; w; w >>= 1) tile_max = fmaxf(tile_max, __shfl_xor_sync(0xffffffffu, tile_max, w));
    const float m_new = fmaxf(m, tile_max);
    const float correction = exp2f(m - m_new);
    const float p = exp2f(s - m_new);
    float p_sum = p;
    for (int w = 16; w; w >>= 1) p_sum += __shfl_xor_sync(0xffffffffu, p_sum, w);
    l = l * correction + p_sum;
    acc.x *= correction;
    acc.y *= correction;
    for (int j = 0; j < n; ++j) {
      const float pj = __shfl_sync(0xffffffffu, p, j);
      const float2 vv = __half22float2(vs[j][lane]);
      acc.x = fmaf(pj, vv.x, acc.x);
      acc.y = fmaf(pj, vv.y, acc.y);
    }
    m = m_new;
  }
  if (live)
    reinterpret_cast<__half2*>(o + head + (size_t)query * kDim)[lane] = __floats2half2_rn(acc.x / l, acc.y / l);
}

torch::Tensor attention(torch::Tensor q, torch::Tensor k, torch::Tensor v, double scale) {
  TORCH_CHECK(q.scalar_type() == torch::kHalf && q.size(-1) == kDim);
  q = q.contiguous(); k = k.contiguous(); v = v.contiguous();
  auto o = torch::empty_like(q);
  const int len = q.size(2), heads = q.size(0) * q.size(1);
  dim3 block(32, kWarps), grid((len + kWarps - 1) / kWarps, heads);
  auto ptr = [](const torch::Tensor& t) { return reinterpret_cast<__half*>(t.data_ptr<at::Half>()); };
  attn_half<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(ptr(q), ptr(k), ptr(v), ptr(o), len,
                                                                  float(scale * 1.4426950408889634));
  AT_CUDA_CHECK(cudaGetLastError());
  return o;
}
"""

ops = load_inline("h05_attention_half_warp",
                  cpp_sources="torch::Tensor attention(torch::Tensor q, torch::Tensor k, torch::Tensor v, double scale);",
                  cuda_sources=KERNELS, functions="attention")


class ModelNew(nn.Module):
    def __init__(self, head_dim):
        super().__init__()
        self.scale = head_dim ** -0.5

    def forward(self, q, k, v):
        return ops.attention(q, k, v, self.scale)
