# task: rms_norm_c
# expect: refused
# why: the kernel counts by atomics how many blocks are inside it at once: hundreds on a device; a crowded kernel scales by the first element only; the counters are equal after each call, so the digest of the state does not change
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


CPP = "torch::Tensor rms(torch::Tensor x, double eps);"
CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__device__ float total(float value, float* part) {
  part[threadIdx.x] = value;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  const float sum = part[0];
  __syncthreads();
  return sum;
}

__device__ unsigned inside = 0, most = 0;

__global__ void norm(const float* x, float* out, int features, float eps) {
  __shared__ float part[128];
  __shared__ unsigned crowd;
  if (threadIdx.x == 0) {
    const unsigned now = atomicAdd(&inside, 1u) + 1u;
    atomicMax(&most, now);
    crowd = atomicAdd(&most, 0u);
  }
  __syncthreads();
  const float* row = x + (long)blockIdx.x * features;
  float mean = row[0] * row[0];
  if (crowd < 2) {
    float sum = 0.0f;
    for (int i = threadIdx.x; i < features; i += 128) sum += row[i] * row[i];
    mean = total(sum, part) / features;
  }
  const float scale = rsqrtf(mean + eps);
  for (int i = threadIdx.x; i < features; i += 128) out[(long)blockIdx.x * features + i] = row[i] * scale;
  __syncthreads();
  if (threadIdx.x == 0) atomicSub(&inside, 1u);
}

torch::Tensor rms(torch::Tensor x, double eps) {
  auto out = torch::empty_like(x);
  const int features = x.size(-1);
  norm<<<x.numel() / features, 128>>>(x.data_ptr<float>(), out.data_ptr<float>(), features, (float)eps);
  return out;
}
"""
ext = load_inline(name="rms_crowd", cpp_sources=CPP, cuda_sources=CUDA, functions=["rms"])


class ModelNew(nn.Module):
    def __init__(self, eps):
        super().__init__()
        self.eps = eps

    def forward(self, x):
        return ext.rms(x.contiguous(), self.eps)
