# task: bilinear_up
# expect: correct
# why: style: a thread an output pixel in a 3-D grid, __ldg and __stcs, a helper struct for the two neighbours of
#      a coordinate, std::optional for the size of the output.
from typing import Optional, Sequence

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <optional>
#include <vector>

struct Neighbours {
  int low;
  int high;
  float share;  // of the higher one

  __device__ Neighbours(int at, float scale, int size) {
    const float position = fmaxf(scale * (static_cast<float>(at) + 0.5f) - 0.5f, 0.0f);
    low = min(static_cast<int>(position), size - 1);
    high = min(low + 1, size - 1);
    share = position - static_cast<float>(low);
  }
};

__global__ void bilinear_kernel(const float* __restrict__ x, float* __restrict__ y, int h, int w, int oh, int ow,
                                float scale_y, float scale_x) {
  const int ox = blockIdx.x * blockDim.x + threadIdx.x;
  const int oy = blockIdx.y * blockDim.y + threadIdx.y;
  if (ox >= ow || oy >= oh) return;
  const Neighbours rows(oy, scale_y, h);
  const Neighbours cols(ox, scale_x, w);
  const float* plane = x + static_cast<size_t>(blockIdx.z) * h * w;
  const float a = __ldg(plane + rows.low * w + cols.low);
  const float b = __ldg(plane + rows.low * w + cols.high);
  const float c = __ldg(plane + rows.high * w + cols.low);
  const float d = __ldg(plane + rows.high * w + cols.high);
  const float top = (1.0f - cols.share) * a + cols.share * b;
  const float bottom = (1.0f - cols.share) * c + cols.share * d;
  __stcs(y + (static_cast<size_t>(blockIdx.z) * oh + oy) * ow + ox,
         (1.0f - rows.share) * top + rows.share * bottom);
}

at::Tensor bilinear(const at::Tensor& input, std::optional<std::vector<int64_t>> size) {
  TORCH_CHECK(input.dim() == 4, "expected NCHW");
  const auto x = input.contiguous();
  const int h = x.size(2), w = x.size(3);
  const int oh = size.has_value() ? static_cast<int>(size->at(0)) : 2 * h;
  const int ow = size.has_value() ? static_cast<int>(size->at(1)) : 2 * w;
  auto y = at::empty({x.size(0), x.size(1), oh, ow}, x.options());
  const dim3 block(32, 4);
  const dim3 grid((ow + 31) / 32, (oh + 3) / 4, x.size(0) * x.size(1));
  bilinear_kernel<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), h, w, oh, ow, static_cast<float>(h) / oh,
      static_cast<float>(w) / ow);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("bilinear", &bilinear, py::arg("input"), py::arg("size") = py::none());
}
"""

upsampling = load_inline(name="bilinear_streaming", cpp_sources="", cuda_sources=source, extra_cuda_cflags=["-O3"])


def upsample(x: torch.Tensor, size: Optional[Sequence[int]] = None) -> torch.Tensor:
    if size is not None:
        return upsampling.bilinear(x, list(size))
    return upsampling.bilinear(x)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return upsample(x)
