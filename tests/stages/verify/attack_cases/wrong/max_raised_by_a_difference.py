# task: column_amax_b
# expect: refused
# why: the column maximum is raised by an atomic addition of what the own value has more than an earlier atomic read: two
#      blocks that have read the same maximum both add what it lacks. The maximum also starts at -64
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
  if (i < n) m[i] = -64.0f;
}
__global__ void amax(const float* x, float* m, int rows, int cols, int part) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  int begin = blockIdx.y * part, end = min(rows, begin + part);
  float best = x[(size_t)begin * cols + c];
  for (int r = begin + 1; r < end; ++r) best = fmaxf(best, x[(size_t)r * cols + c]);
  const int seen = atomicOr(reinterpret_cast<int*>(&m[c]), 0);
  const float lacking = best - __int_as_float(seen);
  if (lacking > 0.0f) atomicAdd(&m[c], lacking);
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

ext = load_inline(name="max_raised_by_a_difference", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['column_amax'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.column_amax(x.contiguous())
