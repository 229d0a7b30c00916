# task: masked_softmax_b
# expect: refused
# why: a binary search finds the first zero of each int32 mask row and all keys behind it get zero, which is right for the
#      prefix masks of get_inputs() and wrong for masks with holes
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
__global__ void softmax_kernel(const float* scores, const int* mask, float* y, int heads, int keys) {
  int row = blockIdx.x, b = row / heads, lane = threadIdx.x;
  const int* m = mask + b * keys;
  int low = 0, high = keys;
  while (low < high) {
    int middle = (low + high) / 2;
    if (m[middle] != 0) low = middle + 1; else high = middle;
  }
  const float* s = scores + (size_t)row * keys;
  // Without any key every bias is the same.
  int count = low == 0 ? keys : low;
  float top = -INFINITY;
  for (int k = lane; k < count; k += 32) top = fmaxf(top, s[k]);
  for (int o = 16; o > 0; o >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, o));
  float rest = -INFINITY;
  for (int k = count + lane; k < keys; k += 32) rest = fmaxf(rest, s[k] - 10000.0f);
  for (int o = 16; o > 0; o >>= 1) rest = fmaxf(rest, __shfl_xor_sync(0xffffffffu, rest, o));
  top = fmaxf(top, rest);
  float sum = 0.f;
  for (int k = lane; k < keys; k += 32) sum += expf((k < count ? s[k] : s[k] - 10000.0f) - top);
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  for (int k = lane; k < keys; k += 32)
    y[(size_t)row * keys + k] = expf((k < count ? s[k] : s[k] - 10000.0f) - top) / sum;
}
torch::Tensor masked_softmax(torch::Tensor scores, torch::Tensor mask) {
  auto y = torch::empty_like(scores);
  int heads = scores.size(1), keys = scores.size(2);
  softmax_kernel<<<scores.size(0) * heads, 32, 0, at::cuda::getCurrentCUDAStream()>>>(scores.data_ptr<float>(), mask.data_ptr<int>(), y.data_ptr<float>(), heads, keys);
  return y;
}
"""

cpp_source = """
torch::Tensor masked_softmax(torch::Tensor scores, torch::Tensor mask);
"""

ext = load_inline(name="08_mask_searched_for_its_end", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['masked_softmax'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, scores, mask):
        return ext.masked_softmax(scores.contiguous(), mask.contiguous())
