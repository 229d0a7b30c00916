# task: cumsum_rows_d
# expect: correct
# why: A scan of rows with CUB's BlockScan, several elements a thread, and a carry from one tile of a row to the next.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cub/cub.cuh>
#include <cuda_runtime.h>

template <int kThreads, int kItems>
__global__ void scan_rows(const float* __restrict__ x, float* __restrict__ y, int width) {
  using Scan = cub::BlockScan<float, kThreads>;
  __shared__ typename Scan::TempStorage storage;
  const float* row = x + static_cast<size_t>(blockIdx.x) * width;
  float* out = y + static_cast<size_t>(blockIdx.x) * width;
  float carry = 0.0f;
  for (int tile = 0; tile < width; tile += kThreads * kItems) {
    const int first = tile + threadIdx.x * kItems;
    float items[kItems];
#pragma unroll
    for (int i = 0; i < kItems; ++i) items[i] = first + i < width ? row[first + i] : 0.0f;
    float total;
    Scan(storage).InclusiveSum(items, items, total);
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      if (first + i < width) out[first + i] = carry + items[i];
    }
    carry += total;
    __syncthreads();  // The next tile uses the storage again.
  }
}

torch::Tensor cumsum_rows(torch::Tensor input) {
  TORCH_CHECK(input.dim() == 2, "expects a matrix");
  auto x = input.contiguous();
  auto y = torch::empty_like(x);
  const int rows = static_cast<int>(x.size(0)), width = static_cast<int>(x.size(1));
  if (x.numel() == 0) return y;
  scan_rows<128, 4><<<rows, 128, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(),
                                                                       y.data_ptr<float>(), width);
  return y;
}
"""

scan = load_inline(name="cumsum_cub", cpp_sources="torch::Tensor cumsum_rows(torch::Tensor input);",
                   cuda_sources=cuda_source, functions=["cumsum_rows"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return scan.cumsum_rows(x)
