# task: softmax_mirror
# expect: refused
# why: lanes read what other lanes of their warp wrote to shared memory, ordered only by __shfl_xor_sync, which is no memory barrier: __syncwarp() is missing
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void mirror(const float* x, float* y, int rows, int cols) {
  __shared__ float shared[4][64];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int row = blockIdx.x * 4 + warp;
  if (row >= rows) return;
  const float* in = x + (size_t)row * cols;
  float m = -INFINITY;
  for (int c = lane; c < cols; c += 32) m = fmaxf(m, in[c]);
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  float s = 0.0f;
  for (int c = lane; c < cols; c += 32) {
    float e = expf(in[c] - m);
    shared[warp][c] = e;
    s += e;
  }
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
  float inv = 1.0f / s;
  for (int c = lane; c < cols; c += 32)
    y[(size_t)row * cols + c] = (shared[warp][c] * inv) * (shared[warp][cols - 1 - c] * inv);
}
torch::Tensor run(torch::Tensor x) {
  TORCH_CHECK(x.size(1) <= 64, "rows of at most 64");
  auto y = torch::empty_like(x);
  int rows = x.size(0);
  mirror<<<(rows + 3) / 4, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, x.size(1));
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="shuffle_as_fence", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
