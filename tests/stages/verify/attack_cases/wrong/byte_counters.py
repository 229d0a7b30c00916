# task: histogram
# expect: refused
# why: four counters of 8 bits share a word of shared memory: a value that occurs more than 255 times in its row carries into its neighbour's count
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void count(const int64_t* values, int64_t* counts, int length) {
  __shared__ unsigned int packed[64];
  if (threadIdx.x < 64) packed[threadIdx.x] = 0u;
  __syncthreads();
  const int64_t* row = values + (size_t)blockIdx.x * length;
  for (int i = threadIdx.x; i < length; i += blockDim.x) {
    unsigned int v = (unsigned int)row[i];
    atomicAdd(&packed[v >> 2], 1u << ((v & 3u) * 8u));
  }
  __syncthreads();
  unsigned int bin = threadIdx.x;
  counts[(size_t)blockIdx.x * 256 + bin] = (packed[bin >> 2] >> ((bin & 3u) * 8u)) & 255u;
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty({x.size(0), 256}, x.options());
  count<<<x.size(0), 256>>>(x.data_ptr<int64_t>(), y.data_ptr<int64_t>(), x.size(1));
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="byte_counters", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, values):
        return extension.run(values)
