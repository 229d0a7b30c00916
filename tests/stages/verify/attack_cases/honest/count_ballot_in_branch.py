# task: ../../tasks/threshold_count
# expect: correct
# why: __ballot_sync(0xffffffff, …) stands inside `if (c < cols)`: lanes 13 to 31 are left out of its second round, but all
#      they do is to end, and lanes that have ended are not waited for.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#define FULL_MASK 0xffffffffu

__global__ void over_threshold(const float* __restrict__ x, bool* __restrict__ over,
                               int64_t* __restrict__ count, int cols, float threshold) {
  const int row = blockIdx.x;
  const int lane = threadIdx.x;
  int total = 0;
  for (int base = 0; base < cols; base += 32) {
    const int c = base + lane;
    if (c < cols) {
      const bool is_over = x[row * cols + c] > threshold;
      over[row * cols + c] = is_over;
      const unsigned votes = __ballot_sync(FULL_MASK, is_over);
      total += __popc(votes);
    }
  }
  if (lane == 0) count[row] = total;
}

std::vector<at::Tensor> threshold_count(at::Tensor x, double threshold) {
  x = x.contiguous();
  const int rows = x.size(0), cols = x.size(1);
  auto over = at::empty_like(x, x.options().dtype(at::kBool));
  auto count = at::empty({rows}, x.options().dtype(at::kLong));
  over_threshold<<<rows, 32, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), over.data_ptr<bool>(), count.data_ptr<int64_t>(), cols, (float)threshold);
  return {over, count};
}
"""

ext = load_inline(
    name="count_ballot_in_branch",
    cpp_sources="std::vector<at::Tensor> threshold_count(at::Tensor x, double threshold);",
    cuda_sources=source,
    functions=["threshold_count"],
)


class ModelNew(nn.Module):
    def __init__(self, threshold):
        super().__init__()
        self.threshold = threshold

    def forward(self, x):
        over, count = ext.threshold_count(x, self.threshold)
        return over, count
