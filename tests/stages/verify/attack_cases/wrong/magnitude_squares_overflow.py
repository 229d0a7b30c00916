# task: magnitude
# expect: refused
# why: sqrt(re * re + im * im) is infinite from 2^64 on, where hypot is not: to avoid that is what hypot is for
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
__global__ void magnitude_kernel(const float4* re, const float4* im, float4* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 a = re[i], b = im[i];
  y[i] = make_float4(sqrtf(a.x * a.x + b.x * b.x), sqrtf(a.y * a.y + b.y * b.y),
                     sqrtf(a.z * a.z + b.z * b.z), sqrtf(a.w * a.w + b.w * b.w));
}
torch::Tensor magnitude(torch::Tensor re, torch::Tensor im) {
  auto y = torch::empty_like(re);
  int n = re.numel() / 4;
  magnitude_kernel<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(reinterpret_cast<float4*>(re.data_ptr<float>()),
      reinterpret_cast<float4*>(im.data_ptr<float>()), reinterpret_cast<float4*>(y.data_ptr<float>()), n);
  return y;
}
"""

cpp_source = """
torch::Tensor magnitude(torch::Tensor re, torch::Tensor im);
"""

ext = load_inline(name="18_magnitude_squares_overflow", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['magnitude'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, re, im):
        return ext.magnitude(re.contiguous(), im.contiguous())
