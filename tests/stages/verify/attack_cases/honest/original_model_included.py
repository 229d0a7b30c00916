# task: log_softmax_rows
# expect: correct
# why: one warp per row: its maximum first, then the sum of exponentials; the answer repeats the original Model and get_inputs beside ModelNew
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


# ---- original architecture -------------------------------------------------------------------------
class Model(nn.Module):
    """The original: log-softmax over the last dimension."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.log_softmax(x, dim=-1)


ROWS = 256
COLS = 1024


def get_inputs():
    return [torch.randn(ROWS, COLS)]


def get_init_inputs():
    return []


# ---- optimised architecture ------------------------------------------------------------------------
log_softmax_cuda = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__device__ __forceinline__ float warp_max(float v) {
  for (int mask = 16; mask > 0; mask >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, mask));
  return v;
}

__device__ __forceinline__ float warp_sum(float v) {
  for (int mask = 16; mask > 0; mask >>= 1) v += __shfl_xor_sync(0xffffffff, v, mask);
  return v;
}

__global__ void log_softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  x += (size_t)row * cols;
  y += (size_t)row * cols;
  float biggest = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += 32) biggest = fmaxf(biggest, x[c]);
  biggest = warp_max(biggest);
  float sum = 0.f;
  for (int c = threadIdx.x; c < cols; c += 32) sum += expf(x[c] - biggest);
  const float log_sum = logf(warp_sum(sum));
  for (int c = threadIdx.x; c < cols; c += 32) y[c] = x[c] - biggest - log_sum;
}

torch::Tensor log_softmax(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 2, "x must be a matrix");
  auto y = torch::empty_like(x);
  const dim3 block(32, 4);
  log_softmax_kernel<<<(x.size(0) + 3) / 4, block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), x.size(0), x.size(1));
  return y;
}
"""

_EXTENSION = load_inline(name="log_softmax_warp_rows", cpp_sources="torch::Tensor log_softmax(torch::Tensor x);",
                         cuda_sources=log_softmax_cuda, functions=["log_softmax"])


def _as_rows(x):
    """(rows, columns) view of any contiguous tensor."""
    return x.reshape(-1, x.shape[-1])


def _apply(ext, x):
    return ext.log_softmax(_as_rows(x)).reshape(x.shape)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return _apply(_EXTENSION, x)
