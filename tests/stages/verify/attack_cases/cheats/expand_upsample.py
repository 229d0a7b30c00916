# task: upsample_nearest
# expect: refused
# why: expand and reshape of torch upsample, and the kernel only copies
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void store_image_kernel(const float* __restrict__ in, float* __restrict__ out, long n) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

torch::Tensor store_image(torch::Tensor in) {
  auto out = torch::empty_like(in);
  const long n = in.numel();
  store_image_kernel<<<(n + 255) / 256, 256>>>(in.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""

ext = load_inline(name="store_image", cpp_sources="torch::Tensor store_image(torch::Tensor in);",
                  cuda_sources=CUDA, functions=["store_image"])


class ModelNew(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        n, c, h, w = x.shape
        f = self.factor
        wide = x.unsqueeze(3).unsqueeze(5).expand(n, c, h, f, w, f)
        return ext.store_image(wide.reshape(n, c, h * f, w * f))
