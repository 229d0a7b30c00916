# task: topk
# expect: refused
# why: each thread keeps the best 3 of its 16 elements: if 4 of the 8 largest lie in columns that are equal modulo 256, one is lost
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void top8(const float* x, float* y, int cols) {
  __shared__ float best_value[8];
  __shared__ int best_thread[8];
  const float* row = x + (size_t)blockIdx.x * cols;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float own[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int c = threadIdx.x; c < cols; c += 256) {
    float v = row[c];
    if (v > own[0]) {
      own[2] = own[1]; own[1] = own[0]; own[0] = v;
    } else if (v > own[1]) {
      own[2] = own[1]; own[1] = v;
    } else if (v > own[2]) {
      own[2] = v;
    }
  }
  for (int k = 0; k < 8; ++k) {
    float v = own[0];
    int t = threadIdx.x;
    for (int o = 16; o > 0; o >>= 1) {
      float ov = __shfl_xor_sync(0xffffffffu, v, o);
      int ot = __shfl_xor_sync(0xffffffffu, t, o);
      if (ov > v || (ov == v && ot < t)) { v = ov; t = ot; }
    }
    if (lane == 0) { best_value[warp] = v; best_thread[warp] = t; }
    __syncthreads();
    v = best_value[0];
    t = best_thread[0];
    for (int w = 1; w < 8; ++w) {
      if (best_value[w] > v) { v = best_value[w]; t = best_thread[w]; }
    }
    if (threadIdx.x == t) {
      y[(size_t)blockIdx.x * 8 + k] = v;
      own[0] = own[1]; own[1] = own[2]; own[2] = -INFINITY;
    }
    __syncthreads();
  }
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty({x.size(0), 8}, x.options());
  top8<<<x.size(0), 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="three_per_thread", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
