# task: softmax_rows_h
# expect: correct
# why: style: cooperative groups; one tile of 32 threads a row, cg::reduce with cg::greater and cg::plus.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <limits>

namespace cg = cooperative_groups;

constexpr int kTile = 32;
constexpr int kRowsPerBlock = 4;

__global__ void row_softmax(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<kTile> tile = cg::tiled_partition<kTile>(block);
  const int row = blockIdx.x * kRowsPerBlock + tile.meta_group_rank();
  if (row >= rows) return;
  const float* in = x + static_cast<int64_t>(row) * cols;
  float* out = y + static_cast<int64_t>(row) * cols;

  float top = -std::numeric_limits<float>::infinity();
  for (int c = tile.thread_rank(); c < cols; c += tile.size()) top = fmaxf(top, in[c]);
  top = cg::reduce(tile, top, cg::greater<float>());

  float total = 0.f;
  for (int c = tile.thread_rank(); c < cols; c += tile.size()) {
    const float e = expf(in[c] - top);
    out[c] = e;
    total += e;
  }
  total = cg::reduce(tile, total, cg::plus<float>());

  // Each thread reads back only what it wrote itself.
  for (int c = tile.thread_rank(); c < cols; c += tile.size()) out[c] = out[c] / total;
}

at::Tensor row_softmax_cuda(const at::Tensor& x) {
  const c10::cuda::CUDAGuard guard(x.device());
  at::Tensor in = x.contiguous();
  at::Tensor out = at::empty_like(in);
  const int cols = static_cast<int>(in.size(-1));
  const int rows = static_cast<int>(in.numel() / cols);
  const dim3 grid((rows + kRowsPerBlock - 1) / kRowsPerBlock);
  const dim3 block(kTile * kRowsPerBlock);
  row_softmax<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(
      in.data_ptr<float>(), out.data_ptr<float>(), rows, cols);
  C10_CUDA_CHECK(cudaGetLastError());
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("row_softmax", &row_softmax_cuda, py::arg("x"));
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = load_inline(
            name="softmax_cg_tiles",
            cpp_sources=[""],
            cuda_sources=[source],
            extra_cuda_cflags=["-O3", "-std=c++17"],
            with_cuda=True,
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.ext.row_softmax(x)
