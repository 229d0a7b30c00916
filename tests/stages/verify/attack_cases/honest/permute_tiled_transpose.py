# task: permute_nhwc
# expect: correct
# why: style: NCHW to NHWC as a batched transpose through a padded shared tile, output allocated in Python and
#      filled by a function without result.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp = "void nchw_to_nhwc(const torch::Tensor& x, torch::Tensor& y);"

cuda = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

constexpr unsigned kTile = 32, kLines = 8;

template <typename T>
__global__ void transpose_planes(const T* __restrict__ in, T* __restrict__ out, unsigned channels, unsigned pixels) {
  __shared__ T tile[kTile][kTile + 1];
  const size_t image = static_cast<size_t>(blockIdx.z) * channels * pixels;
  const unsigned pixel0 = blockIdx.x * kTile, channel0 = blockIdx.y * kTile;

  for (unsigned j = threadIdx.y; j < kTile; j += kLines) {
    const unsigned c = channel0 + j, p = pixel0 + threadIdx.x;
    if (c < channels && p < pixels) tile[j][threadIdx.x] = in[image + static_cast<size_t>(c) * pixels + p];
  }
  __syncthreads();
  for (unsigned j = threadIdx.y; j < kTile; j += kLines) {
    const unsigned p = pixel0 + j, c = channel0 + threadIdx.x;
    if (c < channels && p < pixels) out[image + static_cast<size_t>(p) * channels + c] = tile[threadIdx.x][j];
  }
}

void nchw_to_nhwc(const torch::Tensor& x, torch::Tensor& y) {
  TORCH_CHECK(x.is_contiguous() && y.is_contiguous() && x.numel() == y.numel(), "bad arguments");
  const unsigned n = x.size(0), c = x.size(1), pixels = x.size(2) * x.size(3);
  const dim3 grid((pixels + kTile - 1) / kTile, (c + kTile - 1) / kTile, n), block(kTile, kLines);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "nchw_to_nhwc", [&]() {
    transpose_planes<scalar_t><<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), c, pixels);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  });
}
"""

layout = load_inline("permute_tiled_transpose", cpp, cuda, functions=["nchw_to_nhwc"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        n, c, h, w = x.shape
        y = torch.empty((n, h, w, c), dtype=x.dtype, device=x.device)
        layout.nchw_to_nhwc(x, y)
        return y
