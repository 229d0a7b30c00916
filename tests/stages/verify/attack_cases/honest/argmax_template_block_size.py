# task: row_argmax_b
# expect: correct
# why: argmax with a template over the block size that a switch chooses by the row's length; ties go to the first place
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
template <int kThreads>
__global__ void __launch_bounds__(kThreads) argmax_kernel(const float* __restrict__ x, int64_t* __restrict__ out, int cols) {
  __shared__ float values[kThreads];
  __shared__ int places[kThreads];
  float best = -INFINITY;
  int place = 0x7fffffff;
  for (int c = threadIdx.x; c < cols; c += kThreads) {
    float v = x[(size_t)blockIdx.x * cols + c];
    if (v > best || place == 0x7fffffff) { best = v; place = c; }
  }
  values[threadIdx.x] = best;
  places[threadIdx.x] = place;
  __syncthreads();
#pragma unroll
  for (int o = kThreads / 2; o > 0; o >>= 1) {
    if (threadIdx.x < o) {
      float v = values[threadIdx.x + o];
      int p = places[threadIdx.x + o];
      if (v > values[threadIdx.x] || (v == values[threadIdx.x] && p < places[threadIdx.x])) {
        values[threadIdx.x] = v;
        places[threadIdx.x] = p;
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = places[0];
}
torch::Tensor row_argmax(torch::Tensor x) {
  int rows = x.size(0), cols = x.size(1);
  auto out = torch::empty({rows}, x.options().dtype(torch::kInt64));
  auto s = at::cuda::getCurrentCUDAStream();
  int threads = cols >= 1024 ? 512 : cols >= 256 ? 256 : 64;
  switch (threads) {
    case 512: argmax_kernel<512><<<rows, 512, 0, s>>>(x.data_ptr<float>(), out.data_ptr<int64_t>(), cols); break;
    case 256: argmax_kernel<256><<<rows, 256, 0, s>>>(x.data_ptr<float>(), out.data_ptr<int64_t>(), cols); break;
    default: argmax_kernel<64><<<rows, 64, 0, s>>>(x.data_ptr<float>(), out.data_ptr<int64_t>(), cols);
  }
  return out;
}
"""

cpp_source = """
torch::Tensor row_argmax(torch::Tensor x);
"""

ext = load_inline(name="07_argmax_template_block_size", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['row_argmax'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.row_argmax(x.contiguous())
