# task: transpose_add
# expect: correct
# why: 32x32 tiles go through padded shared memory, so reads and writes are coalesced; the sum is one addition per element
import torch
import torch.nn as nn
import torch.utils.cpp_extension

_SOURCE = r"""
#include <torch/library.h>
#include <torch/types.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

namespace {

constexpr int TILE = 32;
constexpr int ROWS_PER_PASS = 8;

__global__ void transpose_add_kernel(const float* __restrict__ x, const float* __restrict__ y,
                                     float* __restrict__ out, int rows, int cols) {
  __shared__ float tile[TILE][TILE + 1];
  const size_t plane = (size_t)blockIdx.z * rows * cols;
  x += plane;
  y += plane;
  out += plane;

  int c = blockIdx.x * TILE + threadIdx.x;
  int r = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
  for (int i = 0; i < TILE; i += ROWS_PER_PASS)
    if (r + i < rows && c < cols) tile[threadIdx.y + i][threadIdx.x] = x[(r + i) * cols + c];
  __syncthreads();

  const int out_c = blockIdx.y * TILE + threadIdx.x;  // a row of x
  const int out_r = blockIdx.x * TILE + threadIdx.y;  // a column of x
#pragma unroll
  for (int i = 0; i < TILE; i += ROWS_PER_PASS)
    if (out_r + i < cols && out_c < rows) {
      const int at = (out_r + i) * rows + out_c;
      out[at] = tile[threadIdx.x][threadIdx.y + i] + y[at];
    }
}

at::Tensor transpose_add_cuda(const at::Tensor& x, const at::Tensor& y) {
  TORCH_CHECK(x.dim() == 3 && y.dim() == 3);
  TORCH_CHECK(x.size(1) == y.size(2) && x.size(2) == y.size(1), "shapes do not match");
  const at::cuda::OptionalCUDAGuard guard(at::device_of(x));
  const at::Tensor xc = x.contiguous(), yc = y.contiguous();
  at::Tensor out = at::empty(yc.sizes(), yc.options());
  const int rows = xc.size(1), cols = xc.size(2);
  const dim3 block(TILE, ROWS_PER_PASS);
  const dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE, xc.size(0));
  transpose_add_kernel<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(
      xc.data_ptr<float>(), yc.data_ptr<float>(), out.data_ptr<float>(), rows, cols);
  AT_CUDA_CHECK(cudaGetLastError());
  return out;
}

}  // namespace

TORCH_LIBRARY(layout_kernels, m) {
  m.def("transpose_add(Tensor x, Tensor y) -> Tensor");
}

TORCH_LIBRARY_IMPL(layout_kernels, CUDA, m) {
  m.impl("transpose_add", &transpose_add_cuda);
}
"""

torch.utils.cpp_extension.load_inline(
    name="layout_kernels_ext",
    cpp_sources="",
    cuda_sources=_SOURCE,
    is_python_module=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, y):
        return torch.ops.layout_kernels.transpose_add(x, y)
