# task: histogram_large
# expect: refused
# why: bins are counted by atomicAdd(float, 1): a count stops at 2^24, where adding one changes nothing, and with the task's 33
#      million elements equal inputs give half of the count; at smaller sizes no bin can hold so many
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
__global__ void count(const float* x, float* bins, int n, int size) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int bin = __float2int_rz(fminf(fmaxf(x[i] * size, 0.0f), size - 1.0f));
    atomicAdd(&bins[bin], 1.0f);
  }
}
__global__ void widen(const float* bins, int64_t* out, int size) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b < size) out[b] = (int64_t)bins[b];
}
torch::Tensor histogram(torch::Tensor x) {
  const int size = 64;
  int n = x.numel();
  auto bins = torch::zeros({size}, x.options());
  auto out = torch::empty({size}, x.options().dtype(torch::kInt64));
  auto s = at::cuda::getCurrentCUDAStream();
  count<<<std::min((n + 255) / 256, 2048), 256, 0, s>>>(x.data_ptr<float>(), bins.data_ptr<float>(), n, size);
  widen<<<1, 64, 0, s>>>(bins.data_ptr<float>(), out.data_ptr<int64_t>(), size);
  return out;
}
"""

cpp_source = """
torch::Tensor histogram(torch::Tensor x);
"""

ext = load_inline(name="23_counts_in_float", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['histogram'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.histogram(x.contiguous())
