# task: rope_interleaved
# expect: refused
# why: odd lanes call __shfl_up_sync and even lanes __shfl_down_sync with the full mask, each in its own branch: the lanes of a mask must
#      execute the same function (CUDA guide, "Warp Shuffle Functions"), and neither call has all of its lanes
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
__global__ void rope_kernel(const float* x, const float* cs, const float* sn, float* y, int seq, int dim, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool inside = i < total;
  float v = inside ? x[i] : 0.f;
  int d = i % dim, t = i / dim % seq;
  float c = inside ? cs[t * (dim / 2) + d / 2] : 0.f;
  float s = inside ? sn[t * (dim / 2) + d / 2] : 0.f;
  float r;
  if (threadIdx.x & 1) {
    float first = __shfl_up_sync(0xffffffffu, v, 1);
    r = first * s + v * c;
  } else {
    float second = __shfl_down_sync(0xffffffffu, v, 1);
    r = v * c - second * s;
  }
  if (inside) y[i] = r;
}
torch::Tensor rope(torch::Tensor x, torch::Tensor c, torch::Tensor s) {
  auto y = torch::empty_like(x);
  int total = x.numel();
  rope_kernel<<<(total + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), c.data_ptr<float>(),
      s.data_ptr<float>(), y.data_ptr<float>(), x.size(1), x.size(2), total);
  return y;
}
"""

cpp_source = """
torch::Tensor rope(torch::Tensor x, torch::Tensor c, torch::Tensor s);
"""

ext = load_inline(name="shuffle_up_meets_down", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['rope'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, cos, sin):
        return ext.rope(x.contiguous(), cos.contiguous(), sin.contiguous())
