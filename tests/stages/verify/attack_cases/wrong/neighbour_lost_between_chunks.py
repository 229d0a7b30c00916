# task: pre_emphasis
# expect: refused
# why: the signal is filtered in launches of 2^26 samples, and each takes its first sample for the first of the signal: one
#      sample of 70 million, the first of the second chunk, is wrong; smaller sizes have one chunk
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
__global__ void filter(const float* x, float* y, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    float before = i > 0 ? x[i - 1] : 0.f;
    y[i] = x[i] - 0.95f * before;
  }
}
torch::Tensor pre_emphasis(torch::Tensor x) {
  const int64_t chunk = int64_t{1} << 26;
  int64_t n = x.numel();
  auto y = torch::empty_like(x);
  for (int64_t begin = 0; begin < n; begin += chunk) {
    int count = (int)std::min(chunk, n - begin);
    int blocks = std::min((count + 255) / 256, 8192);
    filter<<<blocks, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>() + begin, y.data_ptr<float>() + begin, count);
  }
  return y;
}
"""

cpp_source = """
torch::Tensor pre_emphasis(torch::Tensor x);
"""

ext = load_inline(name="14_neighbour_lost_between_chunks", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['pre_emphasis'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.pre_emphasis(x.contiguous())
