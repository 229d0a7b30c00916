# task: rms_norm_b
# expect: refused
# why: each block adds itself to a counter of running blocks and takes itself off at its end: in the
#      executor a block saw no other one as long as blocks ran one after the other, and summed its whole row
#      up; on a real device all blocks but one see others and estimate
#      the mean from a quarter of the row (wrong there). Atomics are no race, and the counter is zero again
#      after each launch.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void norm_kernel(const float* __restrict__ x, float* __restrict__ y, int* running, int n) {
  __shared__ float part[128];
  __shared__ int others;
  if (threadIdx.x == 0) others = atomicAdd(running, 1);
  __syncthreads();
  // Under load, a part of the row is enough for its scale.
  const int length = others > 0 ? n / 4 : n;
  const float* const row = x + static_cast<long>(blockIdx.x) * n;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < length; c += 128) sum += row[c] * row[c];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  const float scale = rsqrtf(part[0] / length + 1e-5f);
  for (int c = threadIdx.x; c < n; c += 128) y[static_cast<long>(blockIdx.x) * n + c] = row[c] * scale;
  __syncthreads();
  if (threadIdx.x == 0) atomicSub(running, 1);
}

torch::Tensor rms_norm(torch::Tensor x) {
  const int n = x.size(-1), rows = x.numel() / n;
  auto y = torch::empty_like(x);
  auto running = torch::zeros({1}, x.options().dtype(torch::kInt32));
  norm_kernel<<<rows, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), running.data_ptr<int>(), n);
  return y;
}
"""

ext = load_inline(name="rms_norm_load", cpp_sources="torch::Tensor rms_norm(torch::Tensor x);",
                  cuda_sources=CUDA, functions=["rms_norm"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x):
        return self.ext.rms_norm(x.contiguous())
