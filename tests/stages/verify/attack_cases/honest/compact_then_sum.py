# task: ../../tasks/relu
# expect: correct
# why: lanes take slots of shared memory by an atomic counter, in whatever order, and what lies in a slot is written back by the
#      index that lies beside it. Each lane passes a local array by its address to a function of the device.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>

__device__ __noinline__ void clamp_all(float* values, int count) {
  for (int i = 0; i < count; ++i) values[i] = fmaxf(values[i], 0.0f);
}

__global__ void relu_slots(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float values[256];
  __shared__ int places[256];
  __shared__ int taken, seen;
  if (threadIdx.x == 0) taken = seen = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float own[2] = {x[i], -1.0f};
    clamp_all(own, 2);
    atomicAdd(&seen, 1);
    const int slot = atomicAdd(&taken, 1);
    values[slot] = own[0] + own[1];
    places[slot] = i;
  }
  __syncthreads();
  if (threadIdx.x < seen) y[places[threadIdx.x]] = values[threadIdx.x];
}

torch::Tensor relu_forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int n = x.numel();
  if (n > 0) relu_slots<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""

ext = load_inline(name="relu_slots_ext", cpp_sources="torch::Tensor relu_forward(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["relu_forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.relu_forward(x)
