# task: argmax_rows_of_honest
# expect: correct
# why: a tile of 32 threads per row keeps (value, index) with ties to the lower index and NaN above all, as torch does
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

constexpr int kBlock = 128;
constexpr int kTile = 32;

__global__ void argmax_kernel(const float* __restrict__ x, int64_t* __restrict__ result, int rows, int cols) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<kTile> tile = cg::tiled_partition<kTile>(block);
  const int row = blockIdx.x * (kBlock / kTile) + tile.meta_group_rank();
  if (row >= rows) return;  // the whole tile leaves

  const float* values = x + (size_t)row * cols;
  float best = -INFINITY;
  int index = cols;       // larger than every index
  int first_nan = cols;
  for (int c = tile.thread_rank(); c < cols; c += tile.size()) {
    const float v = values[c];
    if (isnan(v)) {
      first_nan = min(first_nan, c);
    } else if (v > best || index == cols) {
      best = v;
      index = c;
    }
  }

  if (tile.any(first_nan < cols)) {
    first_nan = cg::reduce(tile, first_nan, cg::less<int>());
    if (tile.thread_rank() == 0) result[row] = first_nan;
    return;
  }
  for (int offset = tile.size() / 2; offset > 0; offset /= 2) {
    const float other = tile.shfl_down(best, offset);
    const int other_index = tile.shfl_down(index, offset);
    if (other > best || (other == best && other_index < index)) {
      best = other;
      index = other_index;
    }
  }
  if (tile.thread_rank() == 0) result[row] = index;
}

torch::Tensor argmax_rows(torch::Tensor x) {
  const int rows = x.size(0), cols = x.size(1);
  torch::Tensor result = torch::empty({rows}, torch::dtype(torch::kInt64).device(x.device()));
  const int per_block = kBlock / kTile;
  argmax_kernel<<<(rows + per_block - 1) / per_block, kBlock, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), result.data_ptr<int64_t>(), rows, cols);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}
'''


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self._ops = load_inline(name="cg_argmax", cpp_sources="torch::Tensor argmax_rows(torch::Tensor x);",
                                cuda_sources=cuda_src, functions=["argmax_rows"], extra_cuda_cflags=["-std=c++17"])

    def forward(self, x):
        return self._ops.argmax_rows(x)
