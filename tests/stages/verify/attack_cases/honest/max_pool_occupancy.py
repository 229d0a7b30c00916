# task: max_pool_h
# expect: correct
# why: style: block size from cudaOccupancyMaxPotentialBlockSize, grid-stride loop over the outputs, window sizes
#      as template arguments.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

pool_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <algorithm>
#include <cmath>

template <int WINDOW, int STRIDE, int PADDING>
__global__ void max_pool_kernel(const float* __restrict__ x, float* __restrict__ y, int count, int h, int w,
                                int oh, int ow) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const int oc = i % ow;
    const int orow = (i / ow) % oh;
    const int plane = i / (ow * oh);
    const float* from = x + (size_t)plane * h * w;
    float best = -INFINITY;
#pragma unroll
    for (int r = 0; r < WINDOW; ++r) {
      const int ir = orow * STRIDE - PADDING + r;
      if (ir < 0 || ir >= h) continue;
#pragma unroll
      for (int c = 0; c < WINDOW; ++c) {
        const int ic = oc * STRIDE - PADDING + c;
        if (ic >= 0 && ic < w) best = fmaxf(best, from[ir * w + ic]);
      }
    }
    y[i] = best;
  }
}

torch::Tensor max_pool_3_2_1(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 4 && x.is_cuda());
  x = x.contiguous();
  const int h = x.size(2), w = x.size(3);
  const int oh = (h + 2 - 3) / 2 + 1, ow = (w + 2 - 3) / 2 + 1;
  auto y = torch::empty({x.size(0), x.size(1), oh, ow}, x.options());
  const int count = static_cast<int>(y.numel());

  int min_grid = 0, block = 0;
  C10_CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&min_grid, &block, max_pool_kernel<3, 2, 1>, 0, 0));
  const int grid = std::max(1, std::min(min_grid, (count + block - 1) / block));
  max_pool_kernel<3, 2, 1><<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), count, h, w, oh, ow);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

_pool = None


def pool():
    global _pool
    if _pool is None:
        _pool = load_inline(
            name="max_pool_occupancy",
            cpp_sources="torch::Tensor max_pool_3_2_1(torch::Tensor x);",
            cuda_sources=pool_source,
            functions=["max_pool_3_2_1"],
        )
    return _pool


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return pool().max_pool_3_2_1(x)
