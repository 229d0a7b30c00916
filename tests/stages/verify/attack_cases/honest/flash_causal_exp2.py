# task: causal_attention
# expect: correct
# why: tiles of keys in shared memory, an online softmax by exp2f()
import math
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

// Flash attention forward, fp32, causal. One block owns BM query rows of one (batch, head);
// two threads share a query row, each holds half of the head dimension in registers.
template <int BM, int BN, int D>
__global__ void __launch_bounds__(BM * 2)
flash_fwd(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V,
          float* __restrict__ O, int N, float scale_log2) {
  constexpr int H = D / 2;
  extern __shared__ __align__(16) unsigned char smem_raw[];
  float* sK = reinterpret_cast<float*>(smem_raw);
  float* sV = sK + BN * D;

  const int tid = threadIdx.x;
  const int row_in_tile = tid >> 1, half = tid & 1;
  const int q_row = blockIdx.x * BM + row_in_tile;
  const size_t base = (size_t)blockIdx.y * N * D;
  const float4* k4 = reinterpret_cast<const float4*>(K + base);
  const float4* v4 = reinterpret_cast<const float4*>(V + base);

  float q[H], acc[H];
#pragma unroll
  for (int i = 0; i < H; ++i) {
    q[i] = q_row < N ? Q[base + (size_t)q_row * D + half * H + i] * scale_log2 : 0.f;
    acc[i] = 0.f;
  }
  float m = -INFINITY, l = 0.f;

  const int last_row = min(N, (int)(blockIdx.x + 1) * BM);  // no key beyond is visible
  for (int k0 = 0; k0 < last_row; k0 += BN) {
    __syncthreads();
    for (int i = tid; i < BN * D / 4; i += BM * 2) {
      const int key = k0 + i / (D / 4);
      const float4 zero = make_float4(0.f, 0.f, 0.f, 0.f);
      reinterpret_cast<float4*>(sK)[i] = key < N ? k4[(size_t)k0 * (D / 4) + i] : zero;
      reinterpret_cast<float4*>(sV)[i] = key < N ? v4[(size_t)k0 * (D / 4) + i] : zero;
    }
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < BN; ++j) {
      float s = 0.f;
#pragma unroll
      for (int i = 0; i < H; ++i) s = fmaf(q[i], sK[j * D + half * H + i], s);
      s += __shfl_xor_sync(0xffffffffu, s, 1);
      if (k0 + j <= q_row && q_row < N) {
        const float m_new = fmaxf(m, s);
        const float alpha = exp2f(m - m_new);
        const float p = exp2f(s - m_new);
        l = fmaf(l, alpha, p);
#pragma unroll
        for (int i = 0; i < H; ++i) acc[i] = fmaf(acc[i], alpha, p * sV[j * D + half * H + i]);
        m = m_new;
      }
    }
  }
  if (q_row < N) {
    const float inv = 1.f / l;
#pragma unroll
    for (int i = 0; i < H; ++i) O[base + (size_t)q_row * D + half * H + i] = acc[i] * inv;
  }
}

at::Tensor flash(at::Tensor q, at::Tensor k, at::Tensor v, double scale) {
  TORCH_CHECK(q.dim() == 4 && q.is_contiguous() && k.is_contiguous() && v.is_contiguous());
  TORCH_CHECK(q.size(3) == 64, "head_dim must be 64, got ", q.size(3));
  constexpr int BM = 64, BN = 128, D = 64;
  const int N = q.size(2), BH = q.size(0) * q.size(1);
  auto o = at::empty_like(q);
  constexpr int smem = 2 * BN * D * sizeof(float);   // 64 KiB: needs the opt-in
  auto kernel = flash_fwd<BM, BN, D>;
  static const cudaError_t attr =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
  TORCH_CHECK(attr == cudaSuccess, cudaGetErrorString(attr));
  const dim3 grid((N + BM - 1) / BM, BH);
  const float log2e = 1.44269504088896340736f;
  kernel<<<grid, BM * 2, smem, at::cuda::getCurrentCUDAStream()>>>(
      q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(), o.data_ptr<float>(), N,
      (float)scale * log2e);
  auto err = cudaGetLastError();
  TORCH_CHECK(err == cudaSuccess, "flash_fwd: ", cudaGetErrorString(err));
  return o;
}
"""

module = load_inline(
    name="h02_flash_causal",
    cpp_sources="at::Tensor flash(at::Tensor q, at::Tensor k, at::Tensor v, double scale);",
    cuda_sources=source,
    functions=["flash"],
    extra_cuda_cflags=["-O3", "--use_fast_math"],
)


class ModelNew(nn.Module):
    def __init__(self, head_dim):
        super().__init__()
        self.scale = 1.0 / math.sqrt(head_dim)

    def forward(self, q, k, v):
        return module.flash(q.contiguous(), k.contiguous(), v.contiguous(), self.scale)
