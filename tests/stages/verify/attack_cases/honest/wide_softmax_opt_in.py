# task: wide_softmax
# expect: correct
# why: the row is cached in dynamic shared memory above 48 KiB after cudaFuncSetAttribute, once for the process; rows that do not fit the device's limit take
# an online softmax from global memory.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

wide_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

constexpr int THREADS = 512;
constexpr int WARPS = THREADS / 32;

struct State { float m, s; };

__device__ __forceinline__ State join(State a, State b) {
  const float m = fmaxf(a.m, b.m);
  if (m == -INFINITY) return State{m, 0.f};
  return State{m, a.s * __expf(a.m - m) + b.s * __expf(b.m - m)};
}

__device__ State block_join(State v, State* shared) {
  for (int o = 16; o > 0; o >>= 1) {
    State w;
    w.m = __shfl_xor_sync(0xffffffffu, v.m, o);
    w.s = __shfl_xor_sync(0xffffffffu, v.s, o);
    v = join(v, w);
  }
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = v;
  __syncthreads();
  State all = shared[0];
  for (int i = 1; i < WARPS; ++i) all = join(all, shared[i]);
  return all;
}

template <bool kCached>
__global__ void __launch_bounds__(THREADS)
softmax_wide(const float* __restrict__ x, float* __restrict__ y, int dim) {
  extern __shared__ float cache[];
  __shared__ State shared[WARPS];
  const float* in = x + (size_t)blockIdx.x * dim;
  float* out = y + (size_t)blockIdx.x * dim;

  State v{-INFINITY, 0.f};
  for (int i = threadIdx.x; i < dim; i += THREADS) {
    const float value = in[i];
    if (kCached) cache[i] = value;
    v = join(v, State{value, 1.f});
  }
  const State all = block_join(v, shared);
  const float inv = 1.f / all.s;
  for (int i = threadIdx.x; i < dim; i += THREADS)   // each thread reads what it cached itself
    out[i] = __expf((kCached ? cache[i] : in[i]) - all.m) * inv;
}

static int cache_limit() {
  static const int limit = [] {
    int device = 0, bytes = 0;
    C10_CUDA_CHECK(cudaGetDevice(&device));
    C10_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    bytes -= 1024;   // for the static part
    C10_CUDA_CHECK(cudaFuncSetAttribute(softmax_wide<true>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    return bytes;
  }();
  return limit;
}

torch::Tensor softmax(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 2);
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int rows = x.size(0), dim = x.size(1);
  if (rows == 0) return y;
  auto stream = at::cuda::getCurrentCUDAStream();
  const size_t bytes = dim * sizeof(float);
  if (bytes <= (size_t)cache_limit())
    softmax_wide<true><<<rows, THREADS, bytes, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), dim);
  else
    softmax_wide<false><<<rows, THREADS, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), dim);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

wide = load_inline(name="wide_softmax_opt_in", cpp_sources="torch::Tensor softmax(torch::Tensor x);",
                   cuda_sources=wide_source, functions=["softmax"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return wide.softmax(x)
