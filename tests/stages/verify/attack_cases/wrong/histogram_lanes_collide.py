# task: ../../tasks/histogram
# expect: refused
# why: each warp has a histogram of its own in shared memory, but lanes of the warp that see the same value at once do `h[v] += 1` without an atomic
# and lose counts. 500 values in 24 bins: 32 lanes always collide.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

constexpr int kWarps = 4;

// Sub-histograms for each warp keep the contention low; they are merged at the end.
__global__ void histogram_kernel(const int64_t* __restrict__ values, int64_t n,
                                 unsigned long long* __restrict__ counts, int bins) {
  extern __shared__ unsigned int hist[];
  for (int i = threadIdx.x; i < kWarps * bins; i += blockDim.x) hist[i] = 0u;
  __syncthreads();

  unsigned int* mine = hist + (threadIdx.x / 32) * bins;
  const int64_t stride = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += stride) {
    const int v = (int)values[i];
    mine[v] += 1u;
    __syncwarp(__activemask());
  }
  __syncthreads();

  for (int b = threadIdx.x; b < bins; b += blockDim.x) {
    unsigned int sum = 0;
    for (int w = 0; w < kWarps; ++w) sum += hist[w * bins + b];
    if (sum) atomicAdd(&counts[b], (unsigned long long)sum);
  }
}

torch::Tensor histogram(torch::Tensor values, int64_t bins) {
  auto v = values.contiguous();
  auto counts = torch::zeros({bins}, v.options());
  const int64_t n = v.numel();
  int blocks = (int)std::min<int64_t>((n + 127) / 128, 256);
  if (blocks == 0) return counts;
  histogram_kernel<<<blocks, kWarps * 32, kWarps * bins * sizeof(unsigned int),
                     at::cuda::getCurrentCUDAStream()>>>(
      v.data_ptr<int64_t>(), n,
      reinterpret_cast<unsigned long long*>(counts.data_ptr<int64_t>()), (int)bins);
  return counts;
}
"""

ext = load_inline(name="histogram_lanes_collide",
                  cpp_sources="torch::Tensor histogram(torch::Tensor values, int64_t bins);",
                  cuda_sources=source, functions=["histogram"], extra_cuda_cflags=["-O2"])


class ModelNew(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.bins = bins

    def forward(self, values):
        return ext.histogram(values, self.bins)
