# task: center_rows
# expect: correct
# why: the row length is a compile-time constant of the generated source; one warp per row sums by shuffles
import string

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_TEMPLATE = string.Template(r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

constexpr int COLS = $cols;
constexpr int PER_LANE = COLS / 32;
static_assert(COLS % 32 == 0, "rows are split evenly over the lanes of a warp");

__global__ void center_kernel(const float* __restrict__ x, float* __restrict__ y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float v[PER_LANE], t[PER_LANE];
  #pragma unroll
  for (int i = 0; i < PER_LANE; ++i) t[i] = v[i] = x[row * COLS + i * 32 + lane];
  #pragma unroll
  for (int s = 1; s < PER_LANE; s *= 2)  // a tree, so that rows of one value have exactly this mean
    #pragma unroll
    for (int i = 0; i + s < PER_LANE; i += 2 * s) t[i] += t[i + s];
  float sum = t[0];
  #pragma unroll
  for (int mask = 16; mask; mask >>= 1) sum += __shfl_xor_sync(~0u, sum, mask);
  const float mean = sum / COLS;
  #pragma unroll
  for (int i = 0; i < PER_LANE; ++i) y[row * COLS + i * 32 + lane] = v[i] - mean;
}

torch::Tensor center_rows(torch::Tensor x) {
  TORCH_CHECK(x.size(1) == COLS);
  auto y = torch::empty_like(x);
  const int rows = x.size(0);
  center_kernel<<<(rows + 7) / 8, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
""")

_modules = {}


def _module_for(cols):
    """The extension for rows of this length, built when it is first asked for."""
    try:
        return _modules[cols]
    except KeyError:
        built = load_inline(
            name=f"center_rows_{cols}",
            cpp_sources="torch::Tensor center_rows(torch::Tensor x);",
            cuda_sources=_TEMPLATE.substitute(cols=cols),
            functions=["center_rows"],
        )
        _modules[cols] = built
        return built


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return _module_for(x.shape[1]).center_rows(x)
