# task: ../../tasks/byte_histogram
# expect: refused
# why: sixteen 8-bit counters packed in shared words; 600 codes spread over 16 bins stay below 256 (about 38 each), but a row with one frequent code
# (padding, a constant row: 600 of one) carries into the neighbour's counter.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

code = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

// Four counters of 8 bits in a word: a row's histogram is 16 bytes of shared memory.
__global__ void byte_histogram_kernel(const long* __restrict__ codes, long* __restrict__ counts,
                                      int length) {
  __shared__ unsigned int packed[4];
  if (threadIdx.x < 4) packed[threadIdx.x] = 0;
  __syncthreads();
  const long* row = codes + (size_t)blockIdx.x * length;
  for (int i = threadIdx.x; i < length; i += blockDim.x) {
    const unsigned int code = (unsigned int)row[i] & 15u;
    atomicAdd(&packed[code >> 2], 1u << ((code & 3u) * 8));
  }
  __syncthreads();
  if (threadIdx.x < 16)
    counts[blockIdx.x * 16 + threadIdx.x] =
        (packed[threadIdx.x >> 2] >> ((threadIdx.x & 3) * 8)) & 0xffu;
}

torch::Tensor byte_histogram(torch::Tensor codes) {
  codes = codes.contiguous();
  const int rows = codes.size(0), length = codes.size(1);
  auto counts = torch::empty({rows, 16}, codes.options());
  byte_histogram_kernel<<<rows, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
      reinterpret_cast<const long*>(codes.data_ptr<int64_t>()),
      reinterpret_cast<long*>(counts.data_ptr<int64_t>()), length);
  return counts;
}
"""

hist = load_inline(name="packed_byte_counters",
                   cpp_sources="torch::Tensor byte_histogram(torch::Tensor codes);",
                   cuda_sources=code, functions=["byte_histogram"])


class ModelNew(nn.Module):
    def forward(self, codes):
        return hist.byte_histogram(codes)
