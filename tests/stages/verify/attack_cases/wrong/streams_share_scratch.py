# task: two_softmax
# expect: refused
# why: two side streams, forked and joined with right events, both keep their row statistics in one scratch tensor: the two
#      chains overlap and one normalises with the other's statistics, although every order in which one chain
#      runs as a whole before the other gives the right result
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
__global__ void row_stats(const float* x, float2* stats, int cols) {
  __shared__ float warp_value[8];
  const float* row = x + (size_t)blockIdx.x * cols;
  float m = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, row[c]);
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  if (threadIdx.x % 32 == 0) warp_value[threadIdx.x / 32] = m;
  __syncthreads();
  m = warp_value[0];
  for (int w = 1; w < 8; ++w) m = fmaxf(m, warp_value[w]);
  __syncthreads();
  float s = 0.f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) s += expf(row[c] - m);
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
  if (threadIdx.x % 32 == 0) warp_value[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    s = 0.f;
    for (int w = 0; w < 8; ++w) s += warp_value[w];
    stats[blockIdx.x] = make_float2(m, s);
  }
}
__global__ void normalise(const float* x, const float2* stats, float* y, int cols, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) {
    float2 st = stats[i / cols];
    y[i] = expf(x[i] - st.x) / st.y;
  }
}

std::vector<torch::Tensor> two_softmax(torch::Tensor x, torch::Tensor w) {
  int rows = x.size(0), cols = x.size(1), total = rows * cols;
  auto y = torch::empty_like(x), z = torch::empty_like(w);
  auto scratch = torch::empty({rows, 2}, x.options());
  float2* stats = reinterpret_cast<float2*>(scratch.data_ptr<float>());
  auto current = at::cuda::getCurrentCUDAStream();
  static at::cuda::CUDAStream first = at::cuda::getStreamFromPool();
  static at::cuda::CUDAStream second = at::cuda::getStreamFromPool();
  at::cuda::CUDAEvent ready, first_done, second_done;
  ready.record(current);
  ready.block(first);
  ready.block(second);
  row_stats<<<rows, 256, 0, first.stream()>>>(x.data_ptr<float>(), stats, cols);
  normalise<<<(total + 255) / 256, 256, 0, first.stream()>>>(x.data_ptr<float>(), stats, y.data_ptr<float>(), cols, total);
  row_stats<<<rows, 256, 0, second.stream()>>>(w.data_ptr<float>(), stats, cols);
  normalise<<<(total + 255) / 256, 256, 0, second.stream()>>>(w.data_ptr<float>(), stats, z.data_ptr<float>(), cols, total);
  first_done.record(first);
  second_done.record(second);
  first_done.block(current);
  second_done.block(current);
  return {y, z};
}
"""

cpp_source = """
std::vector<torch::Tensor> two_softmax(torch::Tensor x, torch::Tensor w);
"""

ext = load_inline(name="01_streams_share_scratch", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['two_softmax'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, w):
        return ext.two_softmax(x.contiguous(), w.contiguous())
