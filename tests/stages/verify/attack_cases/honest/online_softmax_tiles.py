# task: row_softmax_b
# expect: correct
# why: online softmax with one pass for maximum and sum, a tile of 32 threads (cooperative groups) for each row
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
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void softmax_kernel(const float* x, float* y, int rows, int cols) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  if (row >= rows) return;
  const float* in = x + (size_t)row * cols;
  float top = -INFINITY, sum = 0.f;
  for (int c = tile.thread_rank(); c < cols; c += tile.size()) {
    float v = in[c], higher = fmaxf(top, v);
    sum = sum * expf(top - higher) + expf(v - higher);
    top = higher;
  }
  for (int o = tile.size() / 2; o > 0; o /= 2) {
    float other_top = tile.shfl_xor(top, o), other_sum = tile.shfl_xor(sum, o);
    float higher = fmaxf(top, other_top);
    float a = top == -INFINITY ? 0.f : sum * expf(top - higher);
    float b = other_top == -INFINITY ? 0.f : other_sum * expf(other_top - higher);
    sum = a + b;
    top = higher;
  }
  float inverse = 1.0f / sum;
  for (int c = tile.thread_rank(); c < cols; c += tile.size()) y[(size_t)row * cols + c] = expf(in[c] - top) * inverse;
}
torch::Tensor row_softmax(torch::Tensor x) {
  int rows = x.size(0);
  auto y = torch::empty_like(x);
  softmax_kernel<<<(rows + 7) / 8, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, x.size(1));
  return y;
}
"""

cpp_source = """
torch::Tensor row_softmax(torch::Tensor x);
"""

ext = load_inline(name="02_online_softmax_tiles", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['row_softmax'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.row_softmax(x.contiguous())
