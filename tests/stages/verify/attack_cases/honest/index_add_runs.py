# task: index_add_vw
# expect: correct
# why: Scatter with atomics. Each warp walks some rows of the source, keeps the sum of rows with the same group that follow
# each other in registers, and adds it to the group with one atomicAdd when the group changes.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = "torch::Tensor grouped_sum(torch::Tensor source, torch::Tensor index, int64_t groups);"

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
#include <cstdint>

static constexpr int kRowsOfWarp = 16;

template <typename Index>
__global__ void add_runs(const float* __restrict__ source, const Index* __restrict__ index,
                         float* __restrict__ out, int64_t rows, int64_t width) {
  const int64_t column = static_cast<int64_t>(blockIdx.y) * 32 + threadIdx.x;
  const int64_t first = (static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y) * kRowsOfWarp;
  if (column >= width || first >= rows) return;
  const int64_t last = first + kRowsOfWarp < rows ? first + kRowsOfWarp : rows;

  const auto flush = [&](Index group, float sum) {
    atomicAdd(out + static_cast<int64_t>(group) * width + column, sum);
  };

  Index group = index[first];
  float sum = 0.0f;
  for (int64_t row = first; row < last; ++row) {
    const Index next = index[row];
    if (next != group) {
      flush(group, sum);
      group = next;
      sum = 0.0f;
    }
    sum += source[row * width + column];
  }
  flush(group, sum);
}

torch::Tensor grouped_sum(torch::Tensor source_in, torch::Tensor index_in, int64_t groups) {
  TORCH_CHECK(source_in.dim() == 2 && index_in.dim() == 1, "expects a matrix and a vector");
  TORCH_CHECK(source_in.size(0) == index_in.size(0), "one group for each row");
  auto source = source_in.contiguous();
  auto index = index_in.contiguous();
  const int64_t rows = source.size(0), width = source.size(1);
  auto out = torch::empty({groups, width}, source.options());
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  cudaMemsetAsync(out.data_ptr<float>(), 0, out.numel() * sizeof(float), stream);
  if (source.numel() == 0) return out;
  const dim3 block(32, 8);
  const dim3 grid(static_cast<unsigned>((rows + 8 * kRowsOfWarp - 1) / (8 * kRowsOfWarp)),
                  static_cast<unsigned>((width + 31) / 32));
  if (index.scalar_type() == torch::kInt64) {
    add_runs<int64_t><<<grid, block, 0, stream>>>(source.data_ptr<float>(), index.data_ptr<int64_t>(),
                                                  out.data_ptr<float>(), rows, width);
  } else {
    TORCH_CHECK(index.scalar_type() == torch::kInt32, "groups are int32 or int64");
    add_runs<int32_t><<<grid, block, 0, stream>>>(source.data_ptr<float>(), index.data_ptr<int32_t>(),
                                                  out.data_ptr<float>(), rows, width);
  }
  return out;
}
"""

grouped = load_inline(name="index_add_runs", cpp_sources=[cpp_source], cuda_sources=[cuda_source],
                      functions=["grouped_sum"])


class ModelNew(nn.Module):
    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, source, index):
        return grouped.grouped_sum(source, index, self.groups)
