# task: ../../tasks/histogram
# expect: correct
# why: lanes of a warp that hold the same value find each other with __match_any_sync and one of them adds for all; a shared histogram for each block.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void histogram_match(const int64_t* __restrict__ values, int64_t n, int bins,
                                unsigned long long* __restrict__ counts) {
  extern __shared__ unsigned int local[];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) local[b] = 0;
  __syncthreads();

  const int lane = threadIdx.x & 31;
  const int64_t stride = (int64_t)gridDim.x * blockDim.x;
  // every lane of a warp makes the same number of rounds
  const int64_t rounds = (n + stride - 1) / stride;
  for (int64_t r = 0; r < rounds; ++r) {
    const int64_t i = r * stride + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int v = i < n ? (int)values[i] : -1;
    const unsigned int peers = __match_any_sync(0xffffffffu, v);
    if (v >= 0 && v < bins && lane == __ffs(peers) - 1) atomicAdd(&local[v], __popc(peers));
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    if (local[b] != 0) atomicAdd(&counts[b], (unsigned long long)local[b]);
}

torch::Tensor bincount(torch::Tensor values, int64_t bins) {
  values = values.contiguous();
  auto counts = torch::zeros({bins}, values.options());
  const int64_t n = values.numel();
  if (n == 0) return counts;
  const int blocks = (int)std::min<int64_t>((n + 255) / 256, 128);
  histogram_match<<<blocks, 256, bins * sizeof(unsigned int), at::cuda::getCurrentCUDAStream()>>>(
      values.data_ptr<int64_t>(), n, (int)bins,
      reinterpret_cast<unsigned long long*>(counts.data_ptr<int64_t>()));
  return counts;
}
"""

hist = load_inline(name="histogram_match_any",
                   cpp_sources="torch::Tensor bincount(torch::Tensor values, int64_t bins);",
                   cuda_sources=source, functions=["bincount"])


class ModelNew(nn.Module):
    """Counts of values in 0 .. bins - 1."""

    def __init__(self, bins):
        super().__init__()
        self.bins = bins

    def forward(self, values):
        return hist.bincount(values, self.bins)
