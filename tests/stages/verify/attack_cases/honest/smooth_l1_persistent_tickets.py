# task: smooth_l1
# expect: correct
# why: style: persistent blocks (multiprocessors times two) that draw tiles by an atomic ticket, partial sums in
#      the order of tiles, finished by the last block; counters in a zeroed tensor.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

smooth_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <algorithm>

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kTile = kThreads * 8;

struct Counters {
  int next_tile;
  int finished;
};

__device__ double block_total(double v, double* scratch) {
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
  __syncthreads();
  double total = 0.0;
  for (int w = 0; w < kWarps; ++w) total += scratch[w];
  __syncthreads();
  return total;
}

__global__ void smooth_l1_kernel(const float* __restrict__ prediction, const float* __restrict__ target,
                                 double* partial, float* __restrict__ result, Counters* counters, int64_t count,
                                 int tiles) {
  __shared__ double scratch[kWarps];
  __shared__ int tile;
  __shared__ int last;

  while (true) {
    if (threadIdx.x == 0) tile = atomicAdd(&counters->next_tile, 1);
    __syncthreads();
    const int mine = tile;
    if (mine >= tiles) break;
    double sum = 0.0;
    const int64_t begin = static_cast<int64_t>(mine) * kTile;
    const int64_t end = begin + kTile < count ? begin + kTile : count;
    for (int64_t i = begin + threadIdx.x; i < end; i += kThreads) {
      const float d = fabsf(prediction[i] - target[i]);
      sum += d < 1.0f ? 0.5f * d * d : d - 0.5f;
    }
    sum = block_total(sum, scratch);  // its barriers also protect the ticket
    if (threadIdx.x == 0) partial[mine] = sum;
  }

  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(&counters->finished, 1) == static_cast<int>(gridDim.x) - 1;
  }
  __syncthreads();
  if (!last) return;

  __threadfence();
  double sum = 0.0;
  for (int t = threadIdx.x; t < tiles; t += kThreads) sum += __ldcg(partial + t);
  sum = block_total(sum, scratch);
  if (threadIdx.x == 0) result[0] = static_cast<float>(sum / static_cast<double>(count));
}

torch::Tensor smooth_l1(const torch::Tensor& prediction, const torch::Tensor& target) {
  TORCH_CHECK(prediction.sizes() == target.sizes(), "shapes differ");
  const auto p = prediction.contiguous();
  const auto t = target.contiguous();
  const int64_t count = p.numel();
  const int tiles = static_cast<int>((count + kTile - 1) / kTile);
  auto partial = torch::empty({tiles}, p.options().dtype(torch::kDouble));
  auto counters = torch::zeros({2}, p.options().dtype(torch::kInt));
  auto result = torch::empty({}, p.options());
  const int processors = at::cuda::getCurrentDeviceProperties()->multiProcessorCount;
  const int blocks = std::min(tiles, 2 * processors);
  smooth_l1_kernel<<<blocks, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
      p.data_ptr<float>(), t.data_ptr<float>(), partial.data_ptr<double>(), result.data_ptr<float>(),
      reinterpret_cast<Counters*>(counters.data_ptr<int>()), count, tiles);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}
"""

smooth = load_inline(
    name="smooth_l1_persistent",
    cpp_sources="torch::Tensor smooth_l1(const torch::Tensor& prediction, const torch::Tensor& target);",
    cuda_sources=smooth_source,
    functions=["smooth_l1"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, prediction, target):
        return smooth.smooth_l1(prediction, target)
