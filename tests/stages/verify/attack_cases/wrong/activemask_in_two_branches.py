# task: split_energy
# expect: refused
# why: each half of the warp calls a helper that reduces over __activemask() from its own branch, and both expect the sum of
#      the whole warp: each branch sees only its 16 lanes, so the energy is that of one half
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
__device__ float warp_total(float v) {
  unsigned mask = __activemask();
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(mask, v, o);
  return v;
}
__global__ void energy_kernel(const float* x, float* y, int rows) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float v = x[row * 32 + lane];
  float energy;
  if (lane < 16) {
    energy = warp_total(v * v);
  } else {
    energy = warp_total(fabsf(v));
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

ext = load_inline(name="06_activemask_in_two_branches", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['split_energy'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.split_energy(x.contiguous())
