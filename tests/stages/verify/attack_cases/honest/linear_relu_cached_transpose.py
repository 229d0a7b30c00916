# task: linear_relu_h
# expect: correct
# why: style: the weight is transposed once by .t().contiguous() and kept until its version or address changes;
#      the kernel stages x through a cuda::pipeline of one thread's scope with two buffers.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_cuda_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cuda/pipeline>

constexpr int kCols = 64;     // columns of a block, one for each threadIdx.x
constexpr int kGroups = 4;    // threadIdx.y
constexpr int kPerThread = 4; // rows of a thread
constexpr int kRows = kGroups * kPerThread;
constexpr int kChunk = 64;    // of the inner dimension

// y = relu(x @ wt + bias), wt is K x N
__global__ void __launch_bounds__(kCols * kGroups)
linear_relu_kernel(const float* __restrict__ x, const float* __restrict__ wt, const float* __restrict__ bias,
                   float* __restrict__ y, int M, int N, int K) {
  __shared__ __align__(16) float xs[2][kRows][kChunk];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();

  const int col = blockIdx.x * kCols + threadIdx.x;
  const int row0 = blockIdx.y * kRows;
  const int tid = threadIdx.y * kCols + threadIdx.x;
  const int chunks = (K + kChunk - 1) / kChunk;

  auto fetch = [&](int chunk) {
    const int k0 = chunk * kChunk;
    pipe.producer_acquire();
    for (int i = tid; i < kRows * kChunk; i += kCols * kGroups) {
      const int r = i / kChunk, k = i % kChunk;
      float* to = &xs[chunk & 1][r][k];
      if (row0 + r < M && k0 + k < K) {
        cuda::memcpy_async(to, x + static_cast<size_t>(row0 + r) * K + k0 + k,
                           cuda::aligned_size_t<4>(sizeof(float)), pipe);
      } else {
        *to = 0.0f;
      }
    }
    pipe.producer_commit();
  };

  float acc[kPerThread] = {0.f, 0.f, 0.f, 0.f};
  fetch(0);
  for (int chunk = 0; chunk < chunks; ++chunk) {
    if (chunk + 1 < chunks) {
      fetch(chunk + 1);
      cuda::pipeline_consumer_wait_prior<1>(pipe);
    } else {
      cuda::pipeline_consumer_wait_prior<0>(pipe);
    }
    __syncthreads();  // what the other threads copied is there too
    if (col < N) {
      const int k0 = chunk * kChunk;
      const int length = min(kChunk, K - k0);
      for (int k = 0; k < length; ++k) {
        const float w = __ldg(wt + static_cast<size_t>(k0 + k) * N + col);
#pragma unroll
        for (int r = 0; r < kPerThread; ++r) {
          acc[r] = fmaf(xs[chunk & 1][threadIdx.y * kPerThread + r][k], w, acc[r]);
        }
      }
    }
    pipe.consumer_release();
    __syncthreads();  // before the buffer is filled again
  }

  if (col >= N) return;
  const float b = bias[col];
#pragma unroll
  for (int r = 0; r < kPerThread; ++r) {
    const int row = row0 + threadIdx.y * kPerThread + r;
    if (row < M) y[static_cast<size_t>(row) * N + col] = fmaxf(acc[r] + b, 0.f);
  }
}

at::Tensor linear_relu(const at::Tensor& x, const at::Tensor& wt, const at::Tensor& bias) {
  TORCH_CHECK(x.is_cuda() && wt.is_cuda() && bias.is_cuda(), "all tensors must be on the GPU");
  TORCH_CHECK(x.is_contiguous() && wt.is_contiguous(), "x and the transposed weight must be contiguous");
  const int M = static_cast<int>(x.size(0)), K = static_cast<int>(x.size(1)), N = static_cast<int>(wt.size(1));
  TORCH_CHECK(wt.size(0) == K && bias.numel() == N);
  at::Tensor y = at::empty({M, N}, x.options());
  const dim3 block(kCols, kGroups);
  const dim3 grid((N + kCols - 1) / kCols, (M + kRows - 1) / kRows);
  linear_relu_kernel<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), wt.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), M, N, K);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

_linear = load_inline(
    name="linear_relu_cached_transpose",
    cpp_sources="at::Tensor linear_relu(const at::Tensor& x, const at::Tensor& wt, const at::Tensor& bias);",
    cuda_sources=_cuda_src,
    functions=["linear_relu"],
    extra_cuda_cflags=["-O3", "-std=c++17"],
)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self._transposed = None
        self._transposed_of = None

    def _weight_t(self):
        weight = self.linear.weight
        state = (weight.data_ptr(), weight._version)
        if self._transposed is None or self._transposed_of != state:
            self._transposed = weight.detach().t().contiguous()
            self._transposed_of = state
        return self._transposed

    def forward(self, x):
        return _linear.linear_relu(x.contiguous(), self._weight_t(), self.linear.bias)
