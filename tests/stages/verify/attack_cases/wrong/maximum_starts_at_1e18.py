# task: max_pool_d
# expect: refused
# why: the maximum of a window starts at -1e18 instead of minus infinity: windows of values below that give -1e18
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
__global__ void pool(const float* x, float* y, int size, int out_size, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  int ow = i % out_size, oh = i / out_size % out_size, plane = i / (out_size * out_size);
  float m = -1e18f;
  for (int kh = 0; kh < 3; ++kh) {
    int h = oh * 2 - 1 + kh;
    if (h < 0 || h >= size) continue;
    for (int kw = 0; kw < 3; ++kw) {
      int w = ow * 2 - 1 + kw;
      if (w >= 0 && w < size) m = fmaxf(m, x[((size_t)plane * size + h) * size + w]);
    }
  }
  y[i] = m;
}
torch::Tensor max_pool(torch::Tensor x) {
  int size = x.size(2), out_size = (size + 2 - 3) / 2 + 1;
  auto y = torch::empty({x.size(0), x.size(1), out_size, out_size}, x.options());
  int total = y.numel();
  pool<<<(total + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), size, out_size, total);
  return y;
}
"""

cpp_source = """
torch::Tensor max_pool(torch::Tensor x);
"""

ext = load_inline(name="17_maximum_starts_at_1e18", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['max_pool'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.max_pool(x.contiguous())
