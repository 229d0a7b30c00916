# task: pool_then_sum
# expect: correct
# why: a pooling kernel with a global constexpr named stride, then a tree reduction whose loop variable is named stride too
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

// pooling parameters
constexpr int window = 2;
constexpr int stride = 2;

__global__ void maxPool(const float* in, float* out, int planes, int h, int w) {
  const int oh = h / stride, ow = w / stride;
  const int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= planes * oh * ow) return;
  const int x = idx % ow, y = (idx / ow) % oh, p = idx / (ow * oh);
  const float* src = in + (p * h + y * stride) * w + x * stride;
  float best = src[0];
  for (int dy = 0; dy < window; ++dy)
    for (int dx = 0; dx < window; ++dx) {
      const float v = src[dy * w + dx];
      if (v > best || v != v) best = v;  // NaN wins
    }
  out[idx] = best;
}

// one block per plane
__global__ void planeSum(const float* in, float* out, int size) {
  extern __shared__ float sdata[];
  const int tid = threadIdx.x;
  float mine = 0.0f;
  for (int i = tid; i < size; i += blockDim.x) mine += in[blockIdx.x * size + i];
  sdata[tid] = mine;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (tid < stride) {
      sdata[tid] += sdata[tid + stride];
    }
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

torch::Tensor pool_sum(torch::Tensor x) {
  const int n = x.size(0), c = x.size(1), h = x.size(2), w = x.size(3);
  auto pooled = torch::empty({n, c, h / stride, w / stride}, x.options());
  auto sums = torch::empty({n, c}, x.options());
  const int total = pooled.numel();
  maxPool<<<(total + 255) / 256, 256>>>(x.data_ptr<float>(), pooled.data_ptr<float>(), n * c, h, w);
  const int threads = 128;
  planeSum<<<n * c, threads, threads * sizeof(float)>>>(pooled.data_ptr<float>(), sums.data_ptr<float>(),
                                                        (h / stride) * (w / stride));
  return sums;
}
"""

fused = load_inline(
    name="pool_sum_ext",
    cpp_sources="torch::Tensor pool_sum(torch::Tensor x);",
    cuda_sources=cuda_source,
    functions=["pool_sum"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super(ModelNew, self).__init__()
        self.fused = fused

    def forward(self, x):
        return self.fused.pool_sum(x)
