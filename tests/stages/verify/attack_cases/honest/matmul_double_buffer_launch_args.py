# task: matmul_h
# expect: correct
# why: style: 64 x 64 register-tiled SGEMM, double-buffered shared memory with register prefetch, float4,
#      launched by cudaLaunchKernel with an array of pointers to arguments.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SGEMM = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

constexpr int BM = 64;
constexpr int BN = 64;
constexpr int BK = 16;
constexpr int TM = 4;
constexpr int TN = 4;
constexpr int NT = (BM / TM) * (BN / TN);
static_assert(NT == 256, "each thread loads one float4 of A and one of B");
static_assert(BM * BK == NT * 4 && BK * BN == NT * 4, "tiles are loaded in one go");

__device__ __forceinline__ float4 load4(const float* __restrict__ from, bool inside) {
  return inside ? *reinterpret_cast<const float4*>(from) : make_float4(0.f, 0.f, 0.f, 0.f);
}

__global__ void __launch_bounds__(NT, 2)
sgemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ __align__(16) float As[2][BK][BM + 4];  // transposed
  __shared__ __align__(16) float Bs[2][BK][BN];

  const int tid = threadIdx.x;
  const int m0 = blockIdx.y * BM;
  const int n0 = blockIdx.x * BN;

  const int ar = tid / 4, ac = (tid % 4) * 4;
  const int br = tid / 16, bc = (tid % 16) * 4;
  const int tr = (tid / 16) * TM, tc = (tid % 16) * TN;

  const int tiles = (K + BK - 1) / BK;
  float acc[TM][TN] = {};

  auto fetch_a = [&](int k0) {
    const bool inside = m0 + ar < M && k0 + ac < K;
    return load4(A + (inside ? (size_t)(m0 + ar) * K + k0 + ac : 0), inside);
  };
  auto fetch_b = [&](int k0) {
    const bool inside = k0 + br < K && n0 + bc < N;
    return load4(B + (inside ? (size_t)(k0 + br) * N + n0 + bc : 0), inside);
  };
  auto stash = [&](int buffer, const float4& a, const float4& b) {
    As[buffer][ac + 0][ar] = a.x;
    As[buffer][ac + 1][ar] = a.y;
    As[buffer][ac + 2][ar] = a.z;
    As[buffer][ac + 3][ar] = a.w;
    *reinterpret_cast<float4*>(&Bs[buffer][br][bc]) = b;
  };

  stash(0, fetch_a(0), fetch_b(0));
  __syncthreads();

  for (int t = 0; t < tiles; ++t) {
    float4 a_next, b_next;
    const bool more = t + 1 < tiles;
    if (more) {
      a_next = fetch_a((t + 1) * BK);
      b_next = fetch_b((t + 1) * BK);
    }
    const int cur = t & 1;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      const float4 a = *reinterpret_cast<const float4*>(&As[cur][k][tr]);
      const float4 b = *reinterpret_cast<const float4*>(&Bs[cur][k][tc]);
      const float av[TM] = {a.x, a.y, a.z, a.w};
      const float bv[TN] = {b.x, b.y, b.z, b.w};
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) acc[i][j] = fmaf(av[i], bv[j], acc[i][j]);
    }
    if (more) stash(cur ^ 1, a_next, b_next);
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row = m0 + tr + i;
    if (row < M && n0 + tc < N) {
      *reinterpret_cast<float4*>(C + (size_t)row * N + n0 + tc) =
          make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
    }
  }
}

torch::Tensor sgemm_forward(torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(a.dim() == 2 && b.dim() == 2 && a.size(1) == b.size(0), "shapes do not match");
  int m = (int)a.size(0), k = (int)a.size(1), n = (int)b.size(1);
  TORCH_CHECK(k % 4 == 0 && n % 4 == 0, "rows must be whole float4");
  a = a.contiguous();
  b = b.contiguous();
  torch::Tensor c = torch::empty({m, n}, a.options());

  const float* pa = a.data_ptr<float>();
  const float* pb = b.data_ptr<float>();
  float* pc = c.data_ptr<float>();
  void* arguments[] = {&pa, &pb, &pc, &m, &n, &k};
  const dim3 grid((n + BN - 1) / BN, (m + BM - 1) / BM, 1);
  const dim3 block(NT, 1, 1);
  C10_CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(&sgemm), grid, block, arguments, 0,
                                  at::cuda::getCurrentCUDAStream()));
  return c;
}
"""

gemm = load_inline(
    name="matmul_double_buffer",
    cpp_sources="torch::Tensor sgemm_forward(torch::Tensor a, torch::Tensor b);",
    cuda_sources=SGEMM,
    functions=["sgemm_forward"],
    extra_cuda_cflags=["-O3", "-lineinfo"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return gemm.sgemm_forward(a, b)
