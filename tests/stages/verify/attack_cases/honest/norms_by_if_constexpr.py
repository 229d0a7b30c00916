# task: row_norms
# expect: correct
# why: style: one kernel template over an enum of norms with if constexpr, chosen on the host by a generic lambda with
#      std::integral_constant, three launches for three results.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <type_traits>

enum class Norm { L1, L2, Linf };

template <Norm N>
__device__ __forceinline__ float accumulate(float acc, float v) {
  if constexpr (N == Norm::L1) {
    return acc + fabsf(v);
  } else if constexpr (N == Norm::L2) {
    return fmaf(v, v, acc);
  } else {
    return fmaxf(acc, fabsf(v));
  }
}

template <Norm N>
__device__ __forceinline__ float combine(float a, float b) {
  if constexpr (N == Norm::Linf) {
    return fmaxf(a, b);
  } else {
    return a + b;
  }
}

template <Norm N>
__global__ void row_norm(const float* __restrict__ x, float* __restrict__ out, int cols) {
  constexpr int kWarps = 8;
  __shared__ float partial[kWarps];
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  float acc = 0.f;
  for (int c = threadIdx.x; c < cols; c += kWarps * 32) acc = accumulate<N>(acc, row[c]);
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) acc = combine<N>(acc, __shfl_down_sync(0xffffffffu, acc, o));
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = acc;
  __syncthreads();
  if (threadIdx.x < kWarps) {
    acc = partial[threadIdx.x];
#pragma unroll
    for (int o = kWarps / 2; o > 0; o >>= 1) acc = combine<N>(acc, __shfl_down_sync((1u << kWarps) - 1, acc, o, kWarps));
    if (threadIdx.x == 0) {
      if constexpr (N == Norm::L2) acc = sqrtf(acc);
      out[blockIdx.x] = acc;
    }
  }
}

std::vector<torch::Tensor> row_norms(torch::Tensor x) {
  const int rows = x.size(0), cols = x.size(1);
  const auto stream = at::cuda::getCurrentCUDAStream();
  auto run = [&](auto norm) {
    auto out = torch::empty({rows}, x.options());
    row_norm<decltype(norm)::value><<<rows, 256, 0, stream>>>(x.data_ptr<float>(), out.data_ptr<float>(), cols);
    return out;
  };
  return {run(std::integral_constant<Norm, Norm::L1>{}), run(std::integral_constant<Norm, Norm::L2>{}),
          run(std::integral_constant<Norm, Norm::Linf>{})};
}
"""

norms = load_inline(
    name="row_norms_constexpr",
    cpp_sources="std::vector<torch::Tensor> row_norms(torch::Tensor x);",
    cuda_sources=cuda_source,
    functions=["row_norms"],
    extra_cuda_cflags=["-O3", "-std=c++17"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        one, two, largest = norms.row_norms(x.contiguous())
        return one, two, largest
