# task: gqa_decode
# expect: refused
# why: repeat_interleave maps query head h to key head h / 4; this takes h % 4 (the layout of repeat()). 12 of the 16 heads read the wrong keys.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

decode_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cfloat>

constexpr int D = 64;        // head dimension
constexpr int WARPS = 4;

// A block for each (batch, query head). Each warp walks over its share of the keys with an online
// softmax; a lane holds two of the 64 dimensions. The warps' states are merged at the end.
__global__ void gqa_decode_kernel(const float* __restrict__ q, const float* __restrict__ k,
                                  const float* __restrict__ v, float* __restrict__ out, int heads,
                                  int kv_heads, int length, float scale) {
  __shared__ float sm[WARPS], sl[WARPS], so[WARPS][D];
  const int h = blockIdx.x, b = blockIdx.y;
  const int kv = h % kv_heads;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  const float2 qv = reinterpret_cast<const float2*>(q + ((size_t)b * heads + h) * D)[lane];
  const float2* kb = reinterpret_cast<const float2*>(k + ((size_t)b * kv_heads + kv) * length * D);
  const float2* vb = reinterpret_cast<const float2*>(v + ((size_t)b * kv_heads + kv) * length * D);

  float m = -FLT_MAX, l = 0.f;
  float2 o = make_float2(0.f, 0.f);
  for (int t = warp; t < length; t += WARPS) {
    const float2 kk = kb[t * (D / 2) + lane];
    float s = qv.x * kk.x + qv.y * kk.y;
    #pragma unroll
    for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffff, s, d);
    s *= scale;
    const float nm = fmaxf(m, s);
    const float keep = __expf(m - nm), p = __expf(s - nm);
    const float2 vv = vb[t * (D / 2) + lane];
    o.x = o.x * keep + p * vv.x;
    o.y = o.y * keep + p * vv.y;
    l = l * keep + p;
    m = nm;
  }
  if (lane == 0) { sm[warp] = m; sl[warp] = l; }
  so[warp][2 * lane] = o.x;
  so[warp][2 * lane + 1] = o.y;
  __syncthreads();

  if (threadIdx.x < D) {
    float top = sm[0];
    for (int w = 1; w < WARPS; ++w) top = fmaxf(top, sm[w]);
    float total = 0.f, value = 0.f;
    for (int w = 0; w < WARPS; ++w) {
      const float f = __expf(sm[w] - top);
      total += sl[w] * f;
      value += so[w][threadIdx.x] * f;
    }
    out[((size_t)b * heads + h) * D + threadIdx.x] = value / total;
  }
}

torch::Tensor gqa_decode(torch::Tensor q, torch::Tensor k, torch::Tensor v) {
  q = q.contiguous(); k = k.contiguous(); v = v.contiguous();
  TORCH_CHECK(q.size(2) == D, "head_dim must be 64");
  const int batch = q.size(0), heads = q.size(1), kv_heads = k.size(1), length = k.size(2);
  auto out = torch::empty_like(q);
  gqa_decode_kernel<<<dim3(heads, batch), WARPS * 32, 0, at::cuda::getCurrentCUDAStream()>>>(
      q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(), out.data_ptr<float>(), heads,
      kv_heads, length, 1.0f / sqrtf((float)D));
  return out;
}
"""

gqa = load_inline(
    name="gqa_head_modulo",
    cpp_sources="torch::Tensor gqa_decode(torch::Tensor q, torch::Tensor k, torch::Tensor v);",
    cuda_sources=decode_src,
    functions=["gqa_decode"],
)


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        return gqa.gqa_decode(q, k, v)
