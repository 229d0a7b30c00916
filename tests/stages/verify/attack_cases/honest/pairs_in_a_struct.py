# task: row_argmin
# expect: correct
# why: a struct with an operator and a templated reduction of pairs by shuffles; the number of threads is the next power of two of the width, found with __builtin_clz in host code
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


CPP = "torch::Tensor argmin(torch::Tensor x);"
CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

#include <algorithm>

struct Pair {
  float value;
  int place;
};
struct Smaller {
  __host__ __device__ Pair operator()(const Pair& a, const Pair& b) const {
    if (b.value < a.value) return b;
    if (b.value == a.value && b.place < a.place) return b;
    return a;
  }
};

template <typename Op>
__global__ void argmin_kernel(const float* x, int64_t* out, int width, Op better) {
  extern __shared__ char memory[];
  Pair* pairs = reinterpret_cast<Pair*>(memory);
  const float* row = x + (size_t)blockIdx.x * width;
  Pair mine{INFINITY, width};
  for (int i = threadIdx.x; i < width; i += blockDim.x) mine = better(mine, Pair{row[i], i});
  pairs[threadIdx.x] = mine;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) pairs[threadIdx.x] = better(pairs[threadIdx.x], pairs[threadIdx.x + s]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = pairs[0].place;
}

static int threads_for(int width) {
  int threads = 32;
  if (width > 32) threads = 1 << (32 - __builtin_clz(static_cast<unsigned>(width - 1)));
  return std::min(threads, 256);
}

torch::Tensor argmin(torch::Tensor x) {
  auto out = torch::empty({x.size(0)}, x.options().dtype(torch::kInt64));
  const int width = static_cast<int>(x.size(1));
  const int threads = threads_for(width);
  if (threads > 128) {
    argmin_kernel<<<x.size(0), 256, 256 * sizeof(Pair)>>>(x.data_ptr<float>(), out.data_ptr<int64_t>(), width, Smaller());
  } else {
    argmin_kernel<<<x.size(0), threads, threads * sizeof(Pair)>>>(x.data_ptr<float>(), out.data_ptr<int64_t>(), width, Smaller());
  }
  return out;
}
"""
ext = load_inline(name="argmin_pairs", cpp_sources=CPP, cuda_sources=CUDA, functions=["argmin"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.argmin(x.contiguous())
