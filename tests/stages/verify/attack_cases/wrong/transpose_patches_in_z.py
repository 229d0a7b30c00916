# task: patch_transpose
# expect: refused
# why: puts the patch in gridDim.z; 70000 patches are more than 65535, the launch fails with "invalid configuration argument" and the result is
# uninitialised memory.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

template <int TILE>
__global__ void batched_transpose(const float* __restrict__ in, float* __restrict__ out, int rows,
                                  int cols) {
  __shared__ float tile[TILE][TILE + 1];
  const size_t base = (size_t)blockIdx.z * rows * cols;

  int c = blockIdx.x * TILE + threadIdx.x;
  int r = blockIdx.y * TILE + threadIdx.y;
  if (r < rows && c < cols) tile[threadIdx.y][threadIdx.x] = in[base + (size_t)r * cols + c];
  __syncthreads();

  c = blockIdx.y * TILE + threadIdx.x;   // a column of the result is a row of the input
  r = blockIdx.x * TILE + threadIdx.y;
  if (r < cols && c < rows) out[base + (size_t)r * rows + c] = tile[threadIdx.x][threadIdx.y];
}

torch::Tensor transpose_patches(torch::Tensor patches) {
  TORCH_CHECK(patches.is_cuda() && patches.dim() == 3);
  patches = patches.contiguous();
  const int n = patches.size(0), rows = patches.size(1), cols = patches.size(2);
  auto out = torch::empty({n, cols, rows}, patches.options());
  constexpr int TILE = 8;
  const dim3 block(TILE, TILE);
  const dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE, n);
  batched_transpose<TILE><<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(
      patches.data_ptr<float>(), out.data_ptr<float>(), rows, cols);
  return out;
}
"""

ext = load_inline(
    name="transpose_patches_in_z",
    cpp_sources="torch::Tensor transpose_patches(torch::Tensor patches);",
    cuda_sources=source,
    functions=["transpose_patches"],
)


class ModelNew(nn.Module):
    def forward(self, patches):
        return ext.transpose_patches(patches)
