# task: cross_entropy_v
# expect: correct
# why: Two passes: a tile of cooperative groups for each row writes its loss, and one block of a second kernel averages the
# losses. Rows with the target -100 count as torch counts them, as none.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <cstdint>

namespace cg = cooperative_groups;

constexpr int kIgnored = -100, kBlock = 256;

__global__ void losses_of_rows(const float* __restrict__ logits, const int64_t* __restrict__ target,
                               float* __restrict__ losses, int rows, int classes) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  const int row = blockIdx.x * (kBlock / 32) + static_cast<int>(threadIdx.x) / 32;
  if (row >= rows) return;  // A whole tile.
  const float* scores = logits + static_cast<size_t>(row) * classes;
  float largest = -INFINITY;
  for (int c = tile.thread_rank(); c < classes; c += 32) largest = fmaxf(largest, scores[c]);
  largest = cg::reduce(tile, largest, cg::greater<float>());
  float sum = 0.0f;
  for (int c = tile.thread_rank(); c < classes; c += 32) sum += expf(scores[c] - largest);
  sum = cg::reduce(tile, sum, cg::plus<float>());
  if (tile.thread_rank() == 0) {
    const int64_t wanted = target[row];
    const bool counts = wanted >= 0 && wanted < classes;
    losses[row] = counts ? logf(sum) - (scores[wanted] - largest) : 0.0f;
  }
}

__global__ void mean_of_losses(const float* __restrict__ losses, const int64_t* __restrict__ target,
                               float* __restrict__ result, int rows) {
  __shared__ float sums[kBlock];
  __shared__ int counts[kBlock];
  float sum = 0.0f;
  int count = 0;
  for (int i = threadIdx.x; i < rows; i += kBlock) {
    sum += losses[i];
    count += target[i] != kIgnored;
  }
  sums[threadIdx.x] = sum;
  counts[threadIdx.x] = count;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
      counts[threadIdx.x] += counts[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) result[0] = sums[0] / static_cast<float>(counts[0]);
}

torch::Tensor cross_entropy(torch::Tensor logits_in, torch::Tensor target_in) {
  TORCH_CHECK(logits_in.dim() == 2 && target_in.dim() == 1, "expects rows of logits and their classes");
  TORCH_CHECK(target_in.scalar_type() == torch::kInt64, "classes are int64");
  auto logits = logits_in.contiguous();
  auto target = target_in.contiguous();
  const int rows = static_cast<int>(logits.size(0)), classes = static_cast<int>(logits.size(1));
  auto losses = torch::empty({rows}, logits.options());
  auto result = torch::empty({}, logits.options());
  auto stream = at::cuda::getCurrentCUDAStream();
  if (rows > 0) {
    constexpr int kTiles = kBlock / 32;
    losses_of_rows<<<(rows + kTiles - 1) / kTiles, kBlock, 0, stream>>>(
        logits.data_ptr<float>(), target.data_ptr<int64_t>(), losses.data_ptr<float>(), rows, classes);
  }
  mean_of_losses<<<1, kBlock, 0, stream>>>(losses.data_ptr<float>(), target.data_ptr<int64_t>(),
                                           result.data_ptr<float>(), rows);
  return result;
}
"""

loss = load_inline(
    name="cross_entropy_tiles",
    cpp_sources="torch::Tensor cross_entropy(torch::Tensor logits_in, torch::Tensor target_in);",
    cuda_sources=cuda_source, functions=["cross_entropy"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logits, target):
        return loss.cross_entropy(logits, target)
