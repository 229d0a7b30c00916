# task: row_stats
# expect: correct
# why: style: rows copied to shared memory by cuda::memcpy_async with a cuda::barrier, three results as
#      std::vector<at::Tensor>, sums in double by shuffles.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

stats_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cmath>
#include <vector>

#pragma nv_diag_suppress static_var_with_dynamic_init

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;

template <typename T, typename Op>
__device__ T reduce_block(T v, T* scratch, Op op) {
  for (int d = 16; d > 0; d >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, d));
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
  __syncthreads();
  T result = scratch[0];
  for (int w = 1; w < kWarps; ++w) result = op(result, scratch[w]);
  __syncthreads();
  return result;
}

__global__ void row_stats_kernel(const float* __restrict__ x, float* __restrict__ mean_out,
                                 float* __restrict__ var_out, float* __restrict__ max_out, int cols) {
  extern __shared__ __align__(16) float row[];
  __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
  __shared__ double double_scratch[kWarps];
  __shared__ float float_scratch[kWarps];
  auto block = cooperative_groups::this_thread_block();
  if (block.thread_rank() == 0) init(&arrived, block.size());
  block.sync();
  cuda::memcpy_async(block, row, x + static_cast<size_t>(blockIdx.x) * cols,
                     cuda::aligned_size_t<16>(sizeof(float) * cols), arrived);
  arrived.arrive_and_wait();

  auto plus = [](double a, double b) { return a + b; };
  auto larger = [](float a, float b) { return fmaxf(a, b); };

  double sum = 0.0;
  float top = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += kThreads) {
    sum += row[c];
    top = fmaxf(top, row[c]);
  }
  const double mean = reduce_block(sum, double_scratch, plus) / cols;
  top = reduce_block(top, float_scratch, larger);
  double squares = 0.0;
  for (int c = threadIdx.x; c < cols; c += kThreads) {
    const double d = row[c] - mean;
    squares += d * d;
  }
  const double var = reduce_block(squares, double_scratch, plus) / cols;
  if (threadIdx.x == 0) {
    mean_out[blockIdx.x] = static_cast<float>(mean);
    var_out[blockIdx.x] = static_cast<float>(var);
    max_out[blockIdx.x] = top;
  }
}

std::vector<at::Tensor> row_stats(at::Tensor x) {
  TORCH_CHECK(x.dim() == 2 && x.size(1) % 4 == 0, "rows must be multiples of 16 bytes");
  x = x.contiguous();
  const int64_t rows = x.size(0);
  const int cols = x.size(1);
  std::vector<at::Tensor> results;
  for (int i = 0; i < 3; ++i) results.push_back(at::empty({rows}, x.options()));
  row_stats_kernel<<<rows, kThreads, sizeof(float) * cols, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), results[0].data_ptr<float>(), results[1].data_ptr<float>(),
      results[2].data_ptr<float>(), cols);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return results;
}
"""

stats = load_inline(
    name="row_stats_vector_barrier",
    cpp_sources="std::vector<at::Tensor> row_stats(at::Tensor x);",
    cuda_sources=stats_source,
    functions=["row_stats"],
    extra_cuda_cflags=["-std=c++17"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        mean, var, top = stats.row_stats(x)
        return mean, var, top
