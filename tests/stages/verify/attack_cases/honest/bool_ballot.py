# task: mask_statistics
# expect: correct
# why: each warp votes over 32 bools of its row at a time; the count decides any and all
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp = "std::vector<torch::Tensor> mask_statistics(torch::Tensor mask);"
cuda = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <vector>

__global__ void statistics_kernel(const bool* __restrict__ mask, bool* __restrict__ any_out,
                                  bool* __restrict__ all_out, int64_t* __restrict__ count_out,
                                  int rows, int cols) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  const int lane = threadIdx.x & 31;
  if (warp >= rows) return;
  const bool* row = mask + (size_t)warp * cols;
  int count = 0;
  // All lanes run the same number of steps, so that every vote is complete.
  for (int base = 0; base < cols; base += 32) {
    const int c = base + lane;
    const bool set = c < cols && row[c];
    count += __popc(__ballot_sync(0xffffffffu, set));
  }
  if (lane == 0) {
    any_out[warp] = count > 0;
    all_out[warp] = count == cols;
    count_out[warp] = count;
  }
}

std::vector<torch::Tensor> mask_statistics(torch::Tensor mask) {
  TORCH_CHECK(mask.scalar_type() == torch::kBool, "mask must be bool");
  const auto rows = mask.size(0), cols = mask.size(1);
  auto any_out = torch::empty({rows}, mask.options());
  auto all_out = torch::empty({rows}, mask.options());
  auto count_out = torch::empty({rows}, mask.options().dtype(torch::kInt64));
  constexpr int threads = 256;
  const int blocks = (rows * 32 + threads - 1) / threads;
  statistics_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
      mask.data_ptr<bool>(), any_out.data_ptr<bool>(), all_out.data_ptr<bool>(),
      count_out.data_ptr<int64_t>(), rows, cols);
  return {any_out, all_out, count_out};
}
"""
ext = load_inline(name="mask_stats", cpp_sources=cpp, cuda_sources=cuda, functions=["mask_statistics"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, mask):
        any_set, all_set, count = ext.mask_statistics(mask)
        return any_set, all_set, count
