# task: ../../tasks/attention
# expect: correct
# why: flash-style: a block of query rows keeps its state in registers, keys and values pass through shared memory in tiles with two barriers each,
# online softmax with rescaling; the head's size is a template parameter (8 to 128), other sizes are padded to the next.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

flash_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

template <int D, int ROWS, int KEYS>
__global__ void __launch_bounds__(ROWS)
flash_forward(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V,
              float* __restrict__ O, int Lq, int Lk, int d, float scale) {
  __shared__ float ks[KEYS][D];
  __shared__ float vs[KEYS][D];
  const int bh = blockIdx.y;
  const int row = blockIdx.x * ROWS + threadIdx.x;
  const bool active = row < Lq;

  float q[D], o[D];
#pragma unroll
  for (int i = 0; i < D; ++i) {
    q[i] = (active && i < d) ? Q[((size_t)bh * Lq + row) * d + i] * scale : 0.f;
    o[i] = 0.f;
  }
  float m = -INFINITY, l = 0.f;

  for (int k0 = 0; k0 < Lk; k0 += KEYS) {
    const int count = min(KEYS, Lk - k0);
    for (int t = threadIdx.x; t < KEYS * D; t += ROWS) {
      const int j = t / D, i = t % D;
      const bool in = j < count && i < d;
      const size_t at = ((size_t)bh * Lk + k0 + j) * d + i;
      ks[j][i] = in ? K[at] : 0.f;
      vs[j][i] = in ? V[at] : 0.f;
    }
    __syncthreads();
    for (int j = 0; j < count; ++j) {
      float s = 0.f;
#pragma unroll
      for (int i = 0; i < D; ++i) s = fmaf(q[i], ks[j][i], s);
      const float nm = fmaxf(m, s);
      const float keep = expf(m - nm);    // the first time exp(-inf) = 0
      const float p = expf(s - nm);
      l = l * keep + p;
#pragma unroll
      for (int i = 0; i < D; ++i) o[i] = fmaf(p, vs[j][i], o[i] * keep);
      m = nm;
    }
    __syncthreads();
  }
  if (!active) return;
  const float inv = 1.f / l;
#pragma unroll
  for (int i = 0; i < D; ++i)
    if (i < d) O[((size_t)bh * Lq + row) * d + i] = o[i] * inv;
}

torch::Tensor flash(torch::Tensor q, torch::Tensor k, torch::Tensor v) {
  TORCH_CHECK(q.dim() == 4 && k.sizes() == v.sizes() && q.size(3) == k.size(3));
  q = q.contiguous();
  k = k.contiguous();
  v = v.contiguous();
  const int bh = q.size(0) * q.size(1), Lq = q.size(2), Lk = k.size(2), d = q.size(3);
  auto o = torch::empty_like(q);
  const float scale = 1.0 / std::sqrt((double)d);
  auto stream = at::cuda::getCurrentCUDAStream();
  constexpr int ROWS = 64, KEYS = 16;
  const dim3 grid((Lq + ROWS - 1) / ROWS, bh);
#define LAUNCH(D)                                                                              \
  flash_forward<D, ROWS, KEYS><<<grid, ROWS, 0, stream>>>(q.data_ptr<float>(),                 \
      k.data_ptr<float>(), v.data_ptr<float>(), o.data_ptr<float>(), Lq, Lk, d, scale)
  if (d <= 8) LAUNCH(8);
  else if (d <= 16) LAUNCH(16);
  else if (d <= 32) LAUNCH(32);
  else if (d <= 64) LAUNCH(64);
  else if (d <= 128) LAUNCH(128);
  else TORCH_CHECK(false, "head_dim over 128");
#undef LAUNCH
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return o;
}
"""

flash = load_inline(
    name="attention_online_template",
    cpp_sources="torch::Tensor flash(torch::Tensor q, torch::Tensor k, torch::Tensor v);",
    cuda_sources=flash_source,
    functions=["flash"],
    extra_cuda_cflags=["-O3", "-lineinfo"],
)


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        return flash.flash(q, k, v)
