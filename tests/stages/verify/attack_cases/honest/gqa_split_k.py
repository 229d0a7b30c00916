# task: gqa_decode
# expect: correct
# why: keys in parts, a second kernel joins them
import math
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/ceil_div.h>

// Flash decoding: keys are cut into splits so that a small batch fills the device; a second kernel
// merges the splits' (maximum, sum, weighted values), all in base 2.
constexpr int D = 64;
constexpr int WARPS = 4;

__global__ void decode_split(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                             float* __restrict__ part_o, float2* __restrict__ part_ml, int heads, int kv_heads, int len,
                             int per_split, float scale_log2) {
  const int split = blockIdx.x, h = blockIdx.y, b = blockIdx.z;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int kvh = h / (heads / kv_heads);
  const float2* qp = reinterpret_cast<const float2*>(q + ((size_t)b * heads + h) * D);
  const float2* kp = reinterpret_cast<const float2*>(k + ((size_t)b * kv_heads + kvh) * len * D);
  const float2* vp = reinterpret_cast<const float2*>(v + ((size_t)b * kv_heads + kvh) * len * D);
  float2 qq = qp[lane];
  qq.x *= scale_log2; qq.y *= scale_log2;
  const int begin = split * per_split, end = min(len, begin + per_split);
  float m = -INFINITY, l = 0.f;
  float2 acc = {0.f, 0.f};
  for (int t = begin + warp; t < end; t += WARPS) {
    const float2 kk = kp[(size_t)t * (D / 2) + lane];
    float s = qq.x * kk.x + qq.y * kk.y;
#pragma unroll
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    const float mn = fmaxf(m, s);
    const float a = exp2f(m - mn), p = exp2f(s - mn);
    const float2 vv = vp[(size_t)t * (D / 2) + lane];
    l = l * a + p;
    acc.x = acc.x * a + p * vv.x;
    acc.y = acc.y * a + p * vv.y;
    m = mn;
  }
  __shared__ float sm[WARPS], sl[WARPS];
  __shared__ float2 so[WARPS][D / 2];
  if (lane == 0) { sm[warp] = m; sl[warp] = l; }
  so[warp][lane] = acc;
  __syncthreads();
  if (warp) return;
  float M = sm[0];
#pragma unroll
  for (int w = 1; w < WARPS; ++w) M = fmaxf(M, sm[w]);
  float L = 0.f;
  float2 O = {0.f, 0.f};
#pragma unroll
  for (int w = 0; w < WARPS; ++w) {
    const float f = sm[w] == -INFINITY ? 0.f : exp2f(sm[w] - M);
    L += f * sl[w];
    O.x += f * so[w][lane].x;
    O.y += f * so[w][lane].y;
  }
  const size_t slot = ((size_t)b * heads + h) * gridDim.x + split;
  reinterpret_cast<float2*>(part_o)[slot * (D / 2) + lane] = O;
  if (lane == 0) part_ml[slot] = make_float2(M, L);
}

__global__ void decode_merge(const float* __restrict__ part_o, const float2* __restrict__ part_ml, float* __restrict__ out,
                             int splits) {
  const size_t row = blockIdx.x;
  const int d = threadIdx.x;
  float M = -INFINITY;
  for (int s = 0; s < splits; ++s) M = fmaxf(M, part_ml[row * splits + s].x);
  float L = 0.f, o = 0.f;
  for (int s = 0; s < splits; ++s) {
    const float2 ml = part_ml[row * splits + s];
    const float f = exp2f(ml.x - M);
    L += f * ml.y;
    o += f * part_o[(row * splits + s) * D + d];
  }
  out[row * D + d] = o / L;
}

torch::Tensor gqa_decode(torch::Tensor q, torch::Tensor k, torch::Tensor v) {
  TORCH_CHECK(q.size(-1) == D, "head_dim is ", D);
  q = q.contiguous(); k = k.contiguous(); v = v.contiguous();
  const int B = q.size(0), H = q.size(1), KH = k.size(1), T = k.size(2);
  static const int sms = [] {
    int dev = 0, n = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, dev);
    return n;
  }();
  int splits = at::ceil_div(2 * sms, B * H);
  splits = std::max(1, std::min(splits, at::ceil_div(T, 32)));
  const int per_split = at::ceil_div(T, splits);
  splits = at::ceil_div(T, per_split);
  auto part_o = torch::empty({B, H, splits, D}, q.options());
  auto part_ml = torch::empty({B, H, splits, 2}, q.options());
  auto out = torch::empty_like(q);
  auto st = at::cuda::getCurrentCUDAStream();
  const float scale = 1.4426950408889634f / sqrtf((float)D);
  decode_split<<<dim3(splits, H, B), WARPS * 32, 0, st>>>(q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(),
      part_o.data_ptr<float>(), reinterpret_cast<float2*>(part_ml.data_ptr<float>()), H, KH, T, per_split, scale);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  decode_merge<<<B * H, D, 0, st>>>(part_o.data_ptr<float>(), reinterpret_cast<const float2*>(part_ml.data_ptr<float>()),
      out.data_ptr<float>(), splits);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

_mod = load_inline(name="h09_gqa_split_k", cpp_sources="torch::Tensor gqa_decode(torch::Tensor q, torch::Tensor k, torch::Tensor v);",
                   cuda_sources=_CUDA, functions=["gqa_decode"], extra_cuda_cflags=["-O3", "-std=c++17"])


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        return _mod.gqa_decode(q, k, v)
