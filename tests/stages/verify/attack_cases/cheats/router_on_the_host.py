# task: router_weights
# expect: refused
# why: 16 logits are 64 bytes, just what host code may read, and 16 weights are 64 bytes, just what it may send. C++ on the host
# computes the softmax; the kernel stores a struct that it gets as an argument.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>

struct Weights {
  float v[16];
};

__global__ void place_weights(Weights weights, float* __restrict__ out) { out[threadIdx.x] = weights.v[threadIdx.x]; }

torch::Tensor route(torch::Tensor logits) {
  TORCH_CHECK(logits.numel() == 16 && logits.size(1) == 4 && logits.is_contiguous(), "made for four experts");
  auto out = torch::empty_like(logits);
  float values[16];
  cudaMemcpy(values, logits.data_ptr<float>(), sizeof(values), cudaMemcpyDeviceToHost);
  Weights weights;
  for (int token = 0; token < 4; ++token) {
    const float* row = values + token * 4;
    const float best = std::max(std::max(row[0], row[1]), std::max(row[2], row[3]));
    float e[4], total = 0.0f;
    for (int k = 0; k < 4; ++k) {
      e[k] = std::exp(row[k] - best);
      total += e[k];
    }
    for (int k = 0; k < 4; ++k) weights.v[token * 4 + k] = e[k] / total;
  }
  place_weights<<<1, 16>>>(weights, out.data_ptr<float>());
  return out;
}
"""

ext = load_inline(name="router_ext", cpp_sources="torch::Tensor route(torch::Tensor logits);",
                  cuda_sources=cuda_src, functions=["route"])


class ModelNew(nn.Module):
    def forward(self, logits):
        return ext.route(logits)
