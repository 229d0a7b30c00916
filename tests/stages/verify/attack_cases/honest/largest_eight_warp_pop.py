# task: ../../tasks/largest_eight
# expect: correct
# why: a warp for each row; each lane keeps its own eight best in order (enough for any row), then the warp takes the best of the 32 heads eight times.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

topk_cuda = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

template <int K>
__global__ void topk_rows(const float* __restrict__ x, float* __restrict__ out, int rows, int cols) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = blockIdx.x * (blockDim.x / 32) + warp;
  if (row >= rows) return;
  const float* p = x + (size_t)row * cols;

  float best[K];                       // falling
#pragma unroll
  for (int i = 0; i < K; ++i) best[i] = -INFINITY;
  for (int c = lane; c < cols; c += 32) {
    float v = p[c];
    if (v <= best[K - 1]) continue;
#pragma unroll
    for (int i = 0; i < K; ++i) {
      const float high = fmaxf(best[i], v);
      v = fminf(best[i], v);
      best[i] = high;
    }
  }
  __syncwarp();

#pragma unroll
  for (int k = 0; k < K; ++k) {
    float head = best[0];
    int owner = lane;
    for (int o = 16; o > 0; o >>= 1) {
      const float other = __shfl_xor_sync(0xffffffffu, head, o);
      const int other_owner = __shfl_xor_sync(0xffffffffu, owner, o);
      if (other > head || (other == head && other_owner < owner)) {
        head = other;
        owner = other_owner;
      }
    }
    if (lane == 0) out[(size_t)row * K + k] = head;
    if (lane == owner) {               // pop
#pragma unroll
      for (int i = 0; i + 1 < K; ++i) best[i] = best[i + 1];
      best[K - 1] = -INFINITY;
    }
    __syncwarp();
  }
}

torch::Tensor top8(torch::Tensor x) {
  x = x.contiguous();
  const int cols = x.size(-1);
  TORCH_CHECK(cols >= 8, "selected index k out of range");
  const int rows = x.numel() / cols;
  auto sizes = x.sizes().vec();
  sizes.back() = 8;
  auto out = torch::empty(sizes, x.options());
  topk_rows<8><<<(rows + 3) / 4, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), out.data_ptr<float>(), rows, cols);
  return out;
}
"""

topk_ext = load_inline(name="largest_eight_warp_pop", cpp_sources="torch::Tensor top8(torch::Tensor x);",
                       cuda_sources=topk_cuda, functions=["top8"])


class ModelNew(nn.Module):
    def forward(self, x):
        return topk_ext.top8(x)
