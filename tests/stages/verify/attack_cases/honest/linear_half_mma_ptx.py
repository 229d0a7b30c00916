# task: linear_half
# expect: correct
# why: style: inline PTX mma.sync.m16n8k16 with fragments read as 32-bit words, bias added in float32 before the
#      one rounding to half; constants of the fragment layout as constexpr.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <cuda_fp16.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cstdint>

constexpr int kWarps = 4;
constexpr int kTileM = 16;
constexpr int kTileN = 8;
constexpr int kTileK = 16;
constexpr int kColumns = 4;  // tiles of 8 columns for each warp

__device__ __forceinline__ void mma_16816(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ uint32_t word(const __half* p) { return *reinterpret_cast<const uint32_t*>(p); }

// y[m][n] = sum over k of x[m][k] * w[n][k] + bias[n]
__global__ void __launch_bounds__(32 * kWarps)
linear_mma(const __half* __restrict__ x, const __half* __restrict__ w, const __half* __restrict__ bias,
           __half* __restrict__ y, int N, int K) {
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;
  const int g = lane >> 2;  // group of four threads
  const int t = lane & 3;   // thread in the group
  const int m = (blockIdx.y * kWarps + warp) * kTileM;
  const int n = blockIdx.x * kTileN * kColumns;

  float acc[kColumns][4] = {};
  const __half* x0 = x + (size_t)(m + g) * K + 2 * t;
  const __half* x8 = x0 + (size_t)8 * K;
  for (int k = 0; k < K; k += kTileK) {
    const uint32_t a[4] = {word(x0 + k), word(x8 + k), word(x0 + k + 8), word(x8 + k + 8)};
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      const __half* wc = w + (size_t)(n + c * kTileN + g) * K + k + 2 * t;
      const uint32_t b[2] = {word(wc), word(wc + 8)};
      mma_16816(acc[c], a, b);
    }
  }

#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    const int col = n + c * kTileN + 2 * t;
    const float b0 = __half2float(bias[col]);
    const float b1 = __half2float(bias[col + 1]);
    *reinterpret_cast<__half2*>(y + (size_t)(m + g) * N + col) = __floats2half2_rn(acc[c][0] + b0, acc[c][1] + b1);
    *reinterpret_cast<__half2*>(y + (size_t)(m + g + 8) * N + col) = __floats2half2_rn(acc[c][2] + b0, acc[c][3] + b1);
  }
}

static const __half* half_data(const torch::Tensor& t) {
  return reinterpret_cast<const __half*>(t.data_ptr<at::Half>());
}

torch::Tensor linear_half(torch::Tensor x, torch::Tensor w, torch::Tensor bias) {
  TORCH_CHECK(x.is_contiguous() && w.is_contiguous() && bias.is_contiguous());
  const int M = x.size(0), K = x.size(1), N = w.size(0);
  TORCH_CHECK(w.size(1) == K && bias.size(0) == N);
  TORCH_CHECK(M % (kTileM * kWarps) == 0 && N % (kTileN * kColumns) == 0 && K % kTileK == 0,
              "sizes must be whole tiles");
  torch::Tensor y = torch::empty({M, N}, x.options());
  const dim3 grid(N / (kTileN * kColumns), M / (kTileM * kWarps));
  linear_mma<<<grid, 32 * kWarps, 0, at::cuda::getCurrentCUDAStream()>>>(
      half_data(x), half_data(w), half_data(bias), reinterpret_cast<__half*>(y.data_ptr<at::Half>()), N, K);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

ext = load_inline(
    name="linear_half_mma_ptx",
    cpp_sources="torch::Tensor linear_half(torch::Tensor x, torch::Tensor w, torch::Tensor bias);",
    cuda_sources=cuda_source,
    functions=["linear_half"],
)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter((torch.randn(out_features, in_features) / in_features**0.5).half())
        self.bias = nn.Parameter(torch.randn(out_features).half())

    def forward(self, x):
        return ext.linear_half(x.contiguous(), self.weight, self.bias)
