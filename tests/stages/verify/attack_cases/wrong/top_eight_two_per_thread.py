# task: ../../tasks/largest_eight
# expect: refused
# why: 64 threads read 16 neighbouring columns each and keep their best two only; a row whose eight largest lie close together (a sorted row, a ramp,
# a peak) loses some. Random rows fail in 1.4 % of the rows, ascending rows always.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

topk_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cfloat>

constexpr int THREADS = 64;
constexpr int K = 8;
constexpr int KEEP = 2;   // candidates for each thread

__global__ void top8_kernel(const float* __restrict__ x, float* __restrict__ out, int cols) {
  __shared__ float cand[THREADS * KEEP];
  const float* row = x + (size_t)blockIdx.x * cols;
  const int per_thread = (cols + THREADS - 1) / THREADS;
  const int begin = threadIdx.x * per_thread;
  const int end = min(begin + per_thread, cols);

  float best[KEEP];
  #pragma unroll
  for (int i = 0; i < KEEP; ++i) best[i] = -INFINITY;
  for (int c = begin; c < end; ++c) {
    float v = row[c];
    #pragma unroll
    for (int i = 0; i < KEEP; ++i) {
      if (v > best[i]) { const float t = best[i]; best[i] = v; v = t; }
    }
  }
  #pragma unroll
  for (int i = 0; i < KEEP; ++i) cand[threadIdx.x * KEEP + i] = best[i];
  __syncthreads();

  // The rank of each candidate among the 128; ties are ordered by position.
  for (int i = threadIdx.x; i < THREADS * KEEP; i += THREADS) {
    const float v = cand[i];
    int rank = 0;
    for (int j = 0; j < THREADS * KEEP; ++j) {
      const float o = cand[j];
      rank += (o > v) || (o == v && j < i);
    }
    if (rank < K) out[blockIdx.x * K + rank] = v;
  }
}

torch::Tensor top8(torch::Tensor x) {
  x = x.contiguous();
  TORCH_CHECK(x.size(-1) >= K, "a row has fewer than eight values");
  const int cols = x.size(-1);
  const int rows = x.numel() / cols;
  auto out = torch::empty({rows, K}, x.options());
  top8_kernel<<<rows, THREADS, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), out.data_ptr<float>(), cols);
  return out;
}
"""

topk = load_inline(name="top_eight_two_per_thread",
                   cpp_sources="torch::Tensor top8(torch::Tensor x);",
                   cuda_sources=topk_source, functions=["top8"])


class ModelNew(nn.Module):
    def forward(self, x):
        return topk.top8(x)
