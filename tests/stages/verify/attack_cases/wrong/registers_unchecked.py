# task: ../../tasks/matmul
# expect: refused
# why: 1,024 threads hold 144 sums each: too many resources for a launch on any device, and the error is not looked at
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SRC = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/OpMathType.h>
#include <ATen/core/Array.h>

// 1024 threads with 12 x 12 sums each: no device has the registers. The names of torch keep NVRTC from
// reading the kernel, and nobody asks for an error of the launch.
__global__ void gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int M, int K, int N) {
  using acc_t = at::opmath_type<float>;
  acc_t sum[12][12];
#pragma unroll
  for (int i = 0; i < 12; ++i)
#pragma unroll
    for (int j = 0; j < 12; ++j) sum[i][j] = 0;
  const int r0 = (blockIdx.y * blockDim.y + threadIdx.y) * 12, c0 = (blockIdx.x * blockDim.x + threadIdx.x) * 12;
  for (int k = 0; k < K; ++k) {
    at::detail::Array<acc_t, 12> u, v;
#pragma unroll
    for (int i = 0; i < 12; ++i) u[i] = r0 + i < M ? a[(r0 + i) * K + k] : 0.f;
#pragma unroll
    for (int j = 0; j < 12; ++j) v[j] = c0 + j < N ? b[k * N + c0 + j] : 0.f;
#pragma unroll
    for (int i = 0; i < 12; ++i)
#pragma unroll
      for (int j = 0; j < 12; ++j) sum[i][j] += u[i] * v[j];
  }
#pragma unroll
  for (int i = 0; i < 12; ++i)
#pragma unroll
    for (int j = 0; j < 12; ++j)
      if (r0 + i < M && c0 + j < N) c[(r0 + i) * N + c0 + j] = sum[i][j];
}

torch::Tensor matmul(torch::Tensor a, torch::Tensor b) {
  const int M = a.size(0), K = a.size(1), N = b.size(1);
  auto c = torch::empty({M, N}, a.options());
  const dim3 block(32, 32), grid((N + 383) / 384, (M + 383) / 384);
  gemm<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(),
                                                             M, K, N);
  return c;
}
"""
m = load_inline("c6_registers_unchecked", "torch::Tensor matmul(torch::Tensor a, torch::Tensor b);", SRC, functions=["matmul"])


class ModelNew(nn.Module):
    def forward(self, a, b):
        return m.matmul(a.contiguous(), b.contiguous())
