# task: cross_entropy_h
# expect: correct
# why: style: a block a row writes its loss, __threadfence and atomicInc on a __device__ counter that wraps to
#      zero find the last block, which adds all losses in a fixed order; assert() checks the targets.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

loss_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cassert>
#include <cmath>

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;

__device__ unsigned int finished_blocks = 0;

template <typename T>
__device__ __forceinline__ T warp_add(T v) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}

__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
  return v;
}

__global__ void __launch_bounds__(kThreads)
cross_entropy_kernel(const float* __restrict__ logits, const int64_t* __restrict__ target, volatile float* losses,
                     float* __restrict__ result, int classes) {
  __shared__ float scratch[kWarps];
  __shared__ double sums[kWarps];
  __shared__ bool is_last;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const float* row = logits + static_cast<size_t>(blockIdx.x) * classes;

  float top = -INFINITY;
  for (int c = threadIdx.x; c < classes; c += kThreads) top = fmaxf(top, row[c]);
  top = warp_max(top);
  if (lane == 0) scratch[warp] = top;
  __syncthreads();
  top = scratch[0];
  for (int w = 1; w < kWarps; ++w) top = fmaxf(top, scratch[w]);
  __syncthreads();

  float sum = 0.f;
  for (int c = threadIdx.x; c < classes; c += kThreads) sum += expf(row[c] - top);
  sum = warp_add(sum);
  if (lane == 0) scratch[warp] = sum;
  __syncthreads();

  if (threadIdx.x == 0) {
    sum = 0.f;
    for (int w = 0; w < kWarps; ++w) sum += scratch[w];
    const int64_t label = target[blockIdx.x];
    assert(label >= 0 && label < classes);
    losses[blockIdx.x] = (top - row[label]) + logf(sum);
    __threadfence();
    const unsigned ticket = atomicInc(&finished_blocks, gridDim.x - 1);  // the last one sets it to zero
    is_last = ticket == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;

  __threadfence();
  double total = 0.0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += kThreads) total += losses[i];
  total = warp_add(total);
  if (lane == 0) sums[warp] = total;
  __syncthreads();
  if (threadIdx.x == 0) {
    total = 0.0;
    for (int w = 0; w < kWarps; ++w) total += sums[w];
    *result = static_cast<float>(total / gridDim.x);
  }
}

torch::Tensor cross_entropy(torch::Tensor logits, torch::Tensor target) {
  TORCH_CHECK(logits.dim() == 2 && target.dim() == 1 && logits.size(0) == target.size(0));
  TORCH_CHECK(target.scalar_type() == torch::kInt64, "targets are class indices");
  auto x = logits.contiguous();
  auto t = target.contiguous();
  auto losses = torch::empty({x.size(0)}, x.options());
  auto result = torch::empty({}, x.options());
  cross_entropy_kernel<<<static_cast<unsigned>(x.size(0)), kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), t.data_ptr<int64_t>(), losses.data_ptr<float>(), result.data_ptr<float>(),
      static_cast<int>(x.size(1)));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}
"""

losses = load_inline(
    name="cross_entropy_last_block",
    cpp_sources="torch::Tensor cross_entropy(torch::Tensor logits, torch::Tensor target);",
    cuda_sources=loss_source,
    functions=["cross_entropy"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logits, target):
        return losses.cross_entropy(logits, target)
