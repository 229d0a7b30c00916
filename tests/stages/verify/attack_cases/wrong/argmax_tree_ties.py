# task: ../../tasks/argmax_of_levels
# expect: refused
# why: among equal values the warp's reduction keeps the lower *lane*, not the lower index; lane l holds columns l and l + 32, so of a tie between
# column 33 (lane 1) and column 5 (lane 5) it answers 33. Levels 0..8 in rows of 50 tie in nearly every row.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <limits>

// One warp for each row; lanes go over the row with stride 32 and then meet.
__global__ void __launch_bounds__(128)
argmax_rows(const float* __restrict__ x, int64_t* __restrict__ where, float* __restrict__ best,
            int rows, int cols) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;   // whole warps leave together

  float v = -std::numeric_limits<float>::infinity();
  int at = 0;
  for (int c = lane; c < cols; c += 32) {
    const float candidate = x[(int64_t)row * cols + c];
    if (candidate > v) {     // strictly greater keeps the first of equals
      v = candidate;
      at = c;
    }
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    const float other = __shfl_down_sync(0xffffffff, v, offset);
    const int other_at = __shfl_down_sync(0xffffffff, at, offset);
    if (other > v) {
      v = other;
      at = other_at;
    }
  }
  if (lane == 0) {
    where[row] = at;
    best[row] = v;
  }
}

std::vector<torch::Tensor> argmax_forward(torch::Tensor x) {
  x = x.contiguous();
  const int rows = x.size(0), cols = x.size(1);
  auto where = torch::empty({rows}, x.options().dtype(torch::kInt64));
  auto best = torch::empty({rows}, x.options());
  argmax_rows<<<(rows + 3) / 4, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), where.data_ptr<int64_t>(), best.data_ptr<float>(), rows, cols);
  return {where, best};
}
"""

module = load_inline(
    name="argmax_tree_ties",
    cpp_sources="std::vector<torch::Tensor> argmax_forward(torch::Tensor x);",
    cuda_sources=src,
    functions=["argmax_forward"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        where, best = module.argmax_forward(x)
        return where, best
