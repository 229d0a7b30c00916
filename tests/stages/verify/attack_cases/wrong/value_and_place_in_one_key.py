# task: int64_argmax
# expect: refused
# why: value and place are packed into one 64-bit key, value << 20 | place: values of 2^43 and more lose their upper bits and
#      compare wrong; the task shows numbers below 1000, but an argmax only compares them
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
#include <limits.h>
__global__ void argmax_kernel(const int64_t* x, int64_t* out, int cols) {
  int row = blockIdx.x;
  __shared__ long long keys[256];
  long long best = LLONG_MIN;
  for (int c = threadIdx.x; c < cols; c += 256) {
    long long key = (long long)(((unsigned long long)x[(size_t)row * cols + c] << 20) | (unsigned)(0xfffff - c));
    best = key > best ? key : best;
  }
  keys[threadIdx.x] = best;
  __syncthreads();
  for (int o = 128; o > 0; o >>= 1) {
    if (threadIdx.x < o && keys[threadIdx.x + o] > keys[threadIdx.x]) keys[threadIdx.x] = keys[threadIdx.x + o];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[row] = 0xfffff - (keys[0] & 0xfffff);
}
torch::Tensor int64_argmax(torch::Tensor x) {
  int rows = x.size(0);
  auto out = torch::empty({rows}, x.options());
  argmax_kernel<<<rows, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<int64_t>(), out.data_ptr<int64_t>(), x.size(1));
  return out;
}
"""

cpp_source = """
torch::Tensor int64_argmax(torch::Tensor x);
"""

ext = load_inline(name="16_value_and_place_in_one_key", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['int64_argmax'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.int64_argmax(x.contiguous())
