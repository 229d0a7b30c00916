# task: ../../tasks/row_sum
# expect: refused
# why: long rows are split over blocks that add into a workspace with atomics; the workspace is zeroed when the module allocates it but not before
# the next call, so the second call with the same number of rows gives both sums added.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

constexpr int CHUNK = 128;

__global__ void partial_row_sum(const float* __restrict__ x, float* __restrict__ acc, int cols) {
  const int row = blockIdx.y;
  const int col = blockIdx.x * CHUNK + threadIdx.x;
  float v = col < cols ? x[(long)row * cols + col] : 0.0f;
  for (int d = 16; d >= 1; d >>= 1) v += __shfl_down_sync(0xFFFFFFFF, v, d);
  if ((threadIdx.x & 31) == 0) atomicAdd(acc + row, v);
}

__global__ void copy_out(const float* __restrict__ acc, float* __restrict__ y, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) y[i] = acc[i];
}

torch::Tensor row_sum(torch::Tensor x, torch::Tensor workspace) {
  x = x.contiguous();
  const int rows = x.size(0), cols = x.size(1);
  auto y = torch::empty({rows}, x.options());
  auto stream = at::cuda::getCurrentCUDAStream();
  dim3 grid((cols + CHUNK - 1) / CHUNK, rows);
  partial_row_sum<<<grid, CHUNK, 0, stream>>>(x.data_ptr<float>(), workspace.data_ptr<float>(), cols);
  copy_out<<<(rows + 127) / 128, 128, 0, stream>>>(workspace.data_ptr<float>(), y.data_ptr<float>(), rows);
  return y;
}
"""

ext = load_inline(
    name="row_sum_workspace_kept",
    cpp_sources="torch::Tensor row_sum(torch::Tensor x, torch::Tensor workspace);",
    cuda_sources=source,
    functions=["row_sum"],
)


class ModelNew(nn.Module):
    """Row sums over blocks of 128 columns; the accumulators are allocated once."""

    def __init__(self):
        super().__init__()
        self.workspace = None

    def forward(self, x):
        rows = x.size(0)
        if self.workspace is None or self.workspace.numel() < rows or self.workspace.device != x.device:
            self.workspace = torch.zeros(rows, device=x.device, dtype=torch.float32)
        return ext.row_sum(x, self.workspace)
