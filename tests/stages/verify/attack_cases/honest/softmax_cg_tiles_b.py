# task: ../../tasks/softmax
# expect: correct
# why: a cooperative-groups tile of 32 for each row, cg::reduce for the maximum and the sum; rows beyond the end leave as whole tiles.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void softmax_tiles(const float* __restrict__ x, float* __restrict__ y, int rows, int dim) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  const int row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  if (row >= rows) return;

  const float* in = x + (size_t)row * dim;
  float* out = y + (size_t)row * dim;

  float top = -INFINITY;
  for (int i = tile.thread_rank(); i < dim; i += tile.size()) top = fmaxf(top, in[i]);
  top = cg::reduce(tile, top, cg::greater<float>());

  float sum = 0.0f;
  for (int i = tile.thread_rank(); i < dim; i += tile.size()) sum += expf(in[i] - top);
  sum = cg::reduce(tile, sum, cg::plus<float>());

  for (int i = tile.thread_rank(); i < dim; i += tile.size()) out[i] = expf(in[i] - top) / sum;
}

torch::Tensor softmax(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int rows = x.size(0), dim = x.size(1);
  const int warps = 4;
  softmax_tiles<<<(rows + warps - 1) / warps, warps * 32, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), rows, dim);
  return y;
}
"""

softmax_cg = load_inline(name="softmax_cg_tiles", cpp_sources="torch::Tensor softmax(torch::Tensor x);",
                         cuda_sources=src, functions=["softmax"])


class ModelNew(nn.Module):
    def forward(self, x):
        return softmax_cg.softmax(x)
