# task: column_amax_b
# expect: refused
# why: the column maximum is kept by reading it with an atomic and exchanging it if the own value is larger: two threads may
#      both pass the check and the smaller value may be exchanged last
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
__global__ void fill(float* m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) m[i] = -INFINITY;
}
__global__ void amax(const float* x, float* m, int rows, int cols, int part) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  int begin = blockIdx.y * part, end = min(rows, begin + part);
  float best = x[(size_t)begin * cols + c];
  for (int r = begin + 1; r < end; ++r) best = fmaxf(best, x[(size_t)r * cols + c]);
  float seen = atomicAdd(&m[c], 0.0f);
  if (best > seen) atomicExch(&m[c], best);
}
torch::Tensor column_amax(torch::Tensor x) {
  int rows = x.size(0), cols = x.size(1), part = 32;
  auto out = torch::empty({cols}, x.options());
  auto s = at::cuda::getCurrentCUDAStream();
  fill<<<(cols + 127) / 128, 128, 0, s>>>(out.data_ptr<float>(), cols);
  amax<<<dim3((cols + 127) / 128, (rows + part - 1) / part), 128, 0, s>>>(x.data_ptr<float>(), out.data_ptr<float>(), rows, cols, part);
  return out;
}
"""

cpp_source = """
torch::Tensor column_amax(torch::Tensor x);
"""

ext = load_inline(name="04_max_checked_then_exchanged", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['column_amax'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.column_amax(x.contiguous())
