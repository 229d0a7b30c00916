# task: two_softmax
# expect: refused
# why: the statistics tensor is allocated on the current stream, used on a side stream, and freed at the end of its block
#      without record_stream: the caching allocator gives the same memory to the second statistics tensor, which the current
#      stream writes while the side stream still reads
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
  auto current = at::cuda::getCurrentCUDAStream();
  auto side = at::cuda::getStreamFromPool();
  at::cuda::CUDAEvent ready, done;
  ready.record(current);
  ready.block(side);
  {
    auto stats = torch::empty({rows, 2}, x.options());
    float2* p = reinterpret_cast<float2*>(stats.data_ptr<float>());
    row_stats<<<rows, 256, 0, side.stream()>>>(x.data_ptr<float>(), p, cols);
    normalise<<<(total + 255) / 256, 256, 0, side.stream()>>>(x.data_ptr<float>(), p, y.data_ptr<float>(), cols, total);
    done.record(side);
  }
  {
    auto stats = torch::empty({rows, 2}, w.options());
    float2* p = reinterpret_cast<float2*>(stats.data_ptr<float>());
    row_stats<<<rows, 256, 0, current.stream()>>>(w.data_ptr<float>(), p, cols);
    normalise<<<(total + 255) / 256, 256, 0, current.stream()>>>(w.data_ptr<float>(), p, z.data_ptr<float>(), cols, total);
  }
  done.block(current);
  return {y, z};
}
"""

cpp_source = """
std::vector<torch::Tensor> two_softmax(torch::Tensor x, torch::Tensor w);
"""

ext = load_inline(name="02_side_stream_temporary_freed", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['two_softmax'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, w):
        return ext.two_softmax(x.contiguous(), w.contiguous())
