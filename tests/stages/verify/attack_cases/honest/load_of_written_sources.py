# task: patchify_affine
# expect: correct
# why: style: a .cu and a .cpp file are written into a temporary folder with pathlib and built by
#      torch.utils.cpp_extension.load; the binding has docstrings and named arguments.
import tempfile
from pathlib import Path

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load

KERNEL = r"""
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cuda_runtime.h>

__global__ void unshuffle_affine_kernel(const float* __restrict__ x, const float* __restrict__ scale,
                                        const float* __restrict__ shift, float* __restrict__ y, int channels, int height,
                                        int width, int factor) {
  const int out_w = width / factor, out_h = height / factor;
  const int ow = blockIdx.x * blockDim.x + threadIdx.x;
  const int oh = blockIdx.y * blockDim.y + threadIdx.y;
  const int out_channels = channels * factor * factor;
  const int n = blockIdx.z / out_channels, oc = blockIdx.z % out_channels;
  if (ow >= out_w || oh >= out_h) return;
  const int c = oc / (factor * factor), dy = oc / factor % factor, dx = oc % factor;
  const int64_t from = ((static_cast<int64_t>(n) * channels + c) * height + oh * factor + dy) * width + ow * factor + dx;
  const int64_t to = ((static_cast<int64_t>(n) * out_channels + oc) * out_h + oh) * out_w + ow;
  y[to] = fmaf(x[from], scale[oc], shift[oc]);
}

at::Tensor unshuffle_affine_cuda(const at::Tensor& x, const at::Tensor& scale, const at::Tensor& shift, int64_t factor) {
  const int n = x.size(0), c = x.size(1), h = x.size(2), w = x.size(3), f = factor;
  at::Tensor y = at::empty({n, c * f * f, h / f, w / f}, x.options());
  const dim3 block(32, 4);
  const dim3 grid((w / f + block.x - 1) / block.x, (h / f + block.y - 1) / block.y, n * c * f * f);
  unshuffle_affine_kernel<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), scale.data_ptr<float>(), shift.data_ptr<float>(), y.data_ptr<float>(), c, h, w, f);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

BINDING = r"""
#include <torch/extension.h>

at::Tensor unshuffle_affine_cuda(const at::Tensor& x, const at::Tensor& scale, const at::Tensor& shift, int64_t factor);

at::Tensor unshuffle_affine(const at::Tensor& x, const at::Tensor& scale, const at::Tensor& shift, int64_t factor) {
  TORCH_CHECK(x.dim() == 4, "x must have 4 dimensions, has ", x.dim());
  TORCH_CHECK(x.size(2) % factor == 0 && x.size(3) % factor == 0, "the image must consist of whole patches");
  return unshuffle_affine_cuda(x.contiguous(), scale.contiguous(), shift.contiguous(), factor);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("unshuffle_affine", &unshuffle_affine, "pixel_unshuffle, then scale and shift of each channel", py::arg("x"),
        py::arg("scale"), py::arg("shift"), py::arg("factor") = 2);
}
"""


def _build():
    folder = Path(tempfile.mkdtemp(prefix="unshuffle_affine_"))
    sources = []
    for name, text in {"unshuffle_affine.cpp": BINDING, "unshuffle_affine_kernel.cu": KERNEL}.items():
        path = folder / name
        path.write_text(text)
        sources.append(str(path))
    return load(name="unshuffle_affine", sources=sources, extra_cuda_cflags=["-O3"], verbose=False)


_ext = _build()


class ModelNew(nn.Module):
    def __init__(self, channels, factor):
        super().__init__()
        self.factor = factor
        self.scale = nn.Parameter(torch.randn(channels * factor * factor, 1, 1))
        self.shift = nn.Parameter(torch.randn(channels * factor * factor, 1, 1))

    def forward(self, x):
        return _ext.unshuffle_affine(x, self.scale, self.shift, factor=self.factor)
