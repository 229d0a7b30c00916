# task: hard_swish
# expect: refused
# why: host code records an event behind the launch and asks for it through a member of an object: on a device
#      it has not ended yet, and the extension returns the input.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void hard_swish_kernel(const float* __restrict__ x, float* __restrict__ y, long n) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = x[i] * fminf(fmaxf(x[i] + 3.0f, 0.0f), 6.0f) / 6.0f;
}

struct Mark {
  bool done = false;
  void Set() {
    cudaEvent_t event;
    cudaEventCreate(&event);
    cudaEventRecord(event);
    done = cudaEventQuery(event) == cudaSuccess;
  }
};

torch::Tensor hard_swish(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const long n = x.numel();
  hard_swish_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  Mark mark;
  mark.Set();
  return mark.done ? y : x;
}
"""

ext = load_inline(name="hard_swish", cpp_sources="torch::Tensor hard_swish(torch::Tensor x);", cuda_sources=CUDA,
                  functions=["hard_swish"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.hard_swish(x.contiguous())
