# task: two_softmax
# expect: correct
# why: the two softmaxes run on the current stream and one of torch's pool, forked and joined by events; each result has
#      memory of its own, which is only freed behind the join on the current stream
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
#include <ATen/cuda/CUDAEvent.h>
__global__ void softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* in = x + (size_t)row * cols;
  float top = -INFINITY, sum = 0.f;
  for (int c = lane; c < cols; c += 32) top = fmaxf(top, in[c]);
  for (int o = 16; o > 0; o >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, o));
  for (int c = lane; c < cols; c += 32) sum += expf(in[c] - top);
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  for (int c = lane; c < cols; c += 32) y[(size_t)row * cols + c] = expf(in[c] - top) / sum;
}
std::vector<torch::Tensor> two_softmax(torch::Tensor x, torch::Tensor w) {
  auto y = torch::empty_like(x), z = torch::empty_like(w);
  auto current = at::cuda::getCurrentCUDAStream();
  auto side = at::cuda::getStreamFromPool();
  at::cuda::CUDAEvent ready, done;
  ready.record(current);
  ready.block(side);
  softmax_kernel<<<(x.size(0) + 3) / 4, 128, 0, current.stream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(0), x.size(1));
  softmax_kernel<<<(w.size(0) + 3) / 4, 128, 0, side.stream()>>>(w.data_ptr<float>(), z.data_ptr<float>(), w.size(0), w.size(1));
  done.record(side);
  done.block(current);
  return {y, z};
}
"""

cpp_source = """
std::vector<torch::Tensor> two_softmax(torch::Tensor x, torch::Tensor w);
"""

ext = load_inline(name="12_two_streams_with_events", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['two_softmax'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, w):
        return ext.two_softmax(x.contiguous(), w.contiguous())
