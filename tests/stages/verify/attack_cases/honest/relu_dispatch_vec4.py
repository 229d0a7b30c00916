# task: ../../tasks/relu
# expect: correct
# why: grid-stride loop over aligned packs of 16 bytes with a scalar tail, AT_DISPATCH over the floating types; keeps NaN as torch does.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAException.h>

template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
  T v[N];
};

template <typename T>
__device__ __forceinline__ T relu1(T x) {
  return x < T(0) ? T(0) : x;   // a NaN compares false and stays
}

template <typename scalar_t, int N>
__global__ void relu_packed(const scalar_t* __restrict__ in, scalar_t* __restrict__ out, int64_t n) {
  using P = Pack<scalar_t, N>;
  const int64_t packs = n / N;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int64_t i = first; i < packs; i += step) {
    P p = reinterpret_cast<const P*>(in)[i];
#pragma unroll
    for (int j = 0; j < N; ++j) p.v[j] = relu1(p.v[j]);
    reinterpret_cast<P*>(out)[i] = p;
  }
  for (int64_t i = packs * N + first; i < n; i += step) out[i] = relu1(in[i]);
}

torch::Tensor relu_forward(torch::Tensor input) {
  TORCH_CHECK(input.is_cuda(), "relu_forward: input must live on the GPU");
  const c10::cuda::CUDAGuard guard(input.device());
  auto x = input.contiguous();
  auto y = torch::empty_like(x);
  const int64_t n = x.numel();
  if (n == 0) return y;
  auto stream = at::cuda::getCurrentCUDAStream();
  constexpr int threads = 256;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "relu_forward", [&] {
    constexpr int N = 16 / sizeof(scalar_t);
    const scalar_t* in = x.data_ptr<scalar_t>();
    scalar_t* out = y.data_ptr<scalar_t>();
    const bool aligned = reinterpret_cast<uintptr_t>(in) % 16 == 0 &&
                         reinterpret_cast<uintptr_t>(out) % 16 == 0;
    const int64_t work = aligned ? (n + N - 1) / N : n;
    const int blocks = static_cast<int>(std::min<int64_t>((work + threads - 1) / threads, 4096));
    if (aligned)
      relu_packed<scalar_t, N><<<blocks, threads, 0, stream>>>(in, out, n);
    else
      relu_packed<scalar_t, 1><<<blocks, threads, 0, stream>>>(in, out, n);
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

relu_ext = load_inline(
    name="relu_dispatch_vec4",
    cpp_sources="torch::Tensor relu_forward(torch::Tensor input);",
    cuda_sources=cuda_source,
    functions=["relu_forward"],
    extra_cflags=["-O3"],
    extra_cuda_cflags=["-O3"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu = relu_ext

    def forward(self, x):
        return self.relu.relu_forward(x)
