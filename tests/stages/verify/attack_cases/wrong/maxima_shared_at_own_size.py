# task: absmax_scale
# expect: refused
# why: block maxima are merged without atomics into slot blockIdx % 128 (read, compare, write): with more than 128 blocks,
#      which only the task's own sizes have, two blocks may read the slot before either writes, and the larger maximum is lost;
#      blocks of an executor run one after the other and checks for races run at smaller sizes
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
__global__ void maxima(const float* x, float* slots, int64_t n) {
  float m = 0.f;
  int64_t begin = (int64_t)blockIdx.x * 2048;
  for (int k = threadIdx.x; k < 2048; k += 256)
    if (begin + k < n) m = fmaxf(m, fabsf(x[begin + k]));
  __shared__ float values[256];
  values[threadIdx.x] = m;
  __syncthreads();
  for (int o = 128; o > 0; o >>= 1) {
    if (threadIdx.x < o) values[threadIdx.x] = fmaxf(values[threadIdx.x], values[threadIdx.x + o]);
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    int slot = blockIdx.x % 128;
    if (values[0] > slots[slot]) slots[slot] = values[0];
  }
}
__global__ void scale(const float* x, const float* slots, float* y, int64_t n) {
  __shared__ float top;
  if (threadIdx.x < 32) {
    float m = fmaxf(fmaxf(slots[threadIdx.x], slots[threadIdx.x + 32]), fmaxf(slots[threadIdx.x + 64], slots[threadIdx.x + 96]));
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    if (threadIdx.x == 0) top = m;
  }
  __syncthreads();
  for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
    y[i] = x[i] / top;
}
torch::Tensor absmax_scale(torch::Tensor x) {
  int64_t n = x.numel();
  auto slots = torch::zeros({128}, x.options());
  auto y = torch::empty_like(x);
  auto s = at::cuda::getCurrentCUDAStream();
  maxima<<<(n + 2047) / 2048, 256, 0, s>>>(x.data_ptr<float>(), slots.data_ptr<float>(), n);
  scale<<<std::min<int64_t>((n + 255) / 256, 4096), 256, 0, s>>>(x.data_ptr<float>(), slots.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""

cpp_source = """
torch::Tensor absmax_scale(torch::Tensor x);
"""

ext = load_inline(name="13_maxima_shared_at_own_size", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['absmax_scale'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.absmax_scale(x.contiguous())
