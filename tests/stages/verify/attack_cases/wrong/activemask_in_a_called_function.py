# task: split_energy
# expect: refused
# why: the two cases of a switch call a function that is not inlined and that reduces over the lanes of __activemask(): each call
#      sees only its 16 lanes, and the sum is taken for that of the whole warp
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
__device__ __noinline__ float warp_total(float v) {
  unsigned mask = __ballot_sync(__activemask(), true);
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(mask, v, o);
  return v;
}
__global__ void energy_kernel(const float* x, float* y, int rows) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float v = x[row * 32 + lane];
  float energy = 0.0f;
  switch (lane / 16) {
    case 0: energy = warp_total(v * v); break;
    case 1: energy = warp_total(fabsf(v)); break;
  }
  y[row * 32 + lane] = v / (1.0f + energy);
}
torch::Tensor split_energy(torch::Tensor x) {
  auto y = torch::empty_like(x);
  int rows = x.size(0);
  energy_kernel<<<(rows + 7) / 8, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows);
  return y;
}
"""

cpp_source = """
torch::Tensor split_energy(torch::Tensor x);
"""

ext = load_inline(name="activemask_in_a_called_function", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['split_energy'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.split_energy(x.contiguous())
