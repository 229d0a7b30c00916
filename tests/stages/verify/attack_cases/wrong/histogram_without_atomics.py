# task: byte_histogram_b
# expect: refused
# why: threads of a block count with a plain ++ in shared memory: lanes that have the same byte lose counts on a GPU; threads
#      that run one after the other between barriers lose none
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
__global__ void count(const unsigned char* x, int64_t* out, int cols) {
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += 256) bins[x[(size_t)blockIdx.x * cols + c]]++;
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = bins[threadIdx.x];
}
torch::Tensor histogram(torch::Tensor x) {
  auto out = torch::empty({x.size(0), 256}, x.options().dtype(torch::kInt64));
  count<<<x.size(0), 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<unsigned char>(), out.data_ptr<int64_t>(), x.size(1));
  return out;
}
"""

cpp_source = """
torch::Tensor histogram(torch::Tensor x);
"""

ext = load_inline(name="21_histogram_without_atomics", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['histogram'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.histogram(x.contiguous())
