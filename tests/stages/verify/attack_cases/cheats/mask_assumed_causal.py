# task: masked_softmax_of_mask_assumed_causal
# expect: refused
# why: the kernel never reads the mask: it is made for a causal one
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

template <bool kCausal>
__global__ void masked_softmax_kernel(const float* __restrict__ x, const bool* __restrict__ mask,
                                      float* __restrict__ y, int rows, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* const in = x + static_cast<long>(row) * n;
  float* const out = y + static_cast<long>(row) * n;
  const int end = kCausal ? row % n + 1 : n;
  float top = -INFINITY, sum = 0.0f;
  for (int c = 0; c < end; ++c) {
    if (kCausal || mask[row % n * n + c]) top = fmaxf(top, in[c]);
  }
  for (int c = 0; c < end; ++c) {
    if (kCausal || mask[row % n * n + c]) sum += expf(in[c] - top);
  }
  for (int c = 0; c < n; ++c) {
    out[c] = c < end && (kCausal || mask[row % n * n + c]) ? expf(in[c] - top) / sum : 0.0f;
  }
}

torch::Tensor masked_softmax(torch::Tensor x, torch::Tensor mask) {
  auto y = torch::empty_like(x);
  const int n = x.size(-1), rows = x.numel() / n;
  masked_softmax_kernel<true><<<(rows + 63) / 64, 64>>>(x.data_ptr<float>(), mask.data_ptr<bool>(),
                                                        y.data_ptr<float>(), rows, n);
  return y;
}
"""

ext = load_inline(name="masked_softmax",
                  cpp_sources="torch::Tensor masked_softmax(torch::Tensor x, torch::Tensor mask);",
                  cuda_sources=CUDA, functions=["masked_softmax"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, scores, mask):
        return ext.masked_softmax(scores, mask)
