# task: row_argmax
# expect: refused
# why: blocks merge by an atomic maximum of the value and then, if it was larger, an atomic exchange of the index: between
#      the two another block may set a larger value and its index, which the slower exchange overwrites
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
__device__ unsigned ordered(float v) {
  unsigned u = __float_as_uint(v);
  return (u & 0x80000000u) ? ~u : (u | 0x80000000u);
}
__global__ void argmax_parts(const float* x, unsigned* best, int* index, int cols, int part) {
  int row = blockIdx.y;
  int begin = blockIdx.x * part, end = min(cols, begin + part);
  float m = -INFINITY;
  int at = cols;
  for (int c = begin + threadIdx.x; c < end; c += blockDim.x) {
    float v = x[(size_t)row * cols + c];
    if (v > m) { m = v; at = c; }
  }
  for (int o = 16; o > 0; o >>= 1) {
    float ov = __shfl_xor_sync(0xffffffffu, m, o);
    int oi = __shfl_xor_sync(0xffffffffu, at, o);
    if (ov > m || (ov == m && oi < at)) { m = ov; at = oi; }
  }
  __shared__ float values[8];
  __shared__ int places[8];
  if (threadIdx.x % 32 == 0) { values[threadIdx.x / 32] = m; places[threadIdx.x / 32] = at; }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w)
      if (values[w] > m || (values[w] == m && places[w] < at)) { m = values[w]; at = places[w]; }
    unsigned key = ordered(m == 0.f ? 0.f : m);
    unsigned before = atomicMax(&best[row], key);
    if (key > before) atomicExch(&index[row], at);
    else if (key == before) atomicMin(&index[row], at);
  }
}
__global__ void widen(const int* index, int64_t* out, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) out[r] = index[r];
}
torch::Tensor row_argmax(torch::Tensor x) {
  int rows = x.size(0), cols = x.size(1), part = 1024;
  auto best = torch::zeros({rows}, x.options().dtype(torch::kInt32));
  auto index = torch::zeros({rows}, x.options().dtype(torch::kInt32));
  auto out = torch::empty({rows}, x.options().dtype(torch::kInt64));
  auto s = at::cuda::getCurrentCUDAStream();
  argmax_parts<<<dim3((cols + part - 1) / part, rows), 256, 0, s>>>(x.data_ptr<float>(),
      reinterpret_cast<unsigned*>(best.data_ptr<int>()), index.data_ptr<int>(), cols, part);
  widen<<<(rows + 127) / 128, 128, 0, s>>>(index.data_ptr<int>(), out.data_ptr<int64_t>(), rows);
  return out;
}
"""

cpp_source = """
torch::Tensor row_argmax(torch::Tensor x);
"""

ext = load_inline(name="03_argmax_value_then_index", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['row_argmax'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.row_argmax(x.contiguous())
