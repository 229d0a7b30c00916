# task: column_max
# expect: refused
# why: the output of the atomic maximum comes from torch::empty and is never set to -inf: a device gives out memory with old values, which may be larger
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__device__ void atomic_max_float(float* address, float value) {
  int* bits = (int*)address;
  int old = atomicCAS(bits, 0, 0), assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
}
__global__ void column_max(const float* x, float* y, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  int first = blockIdx.y * 64, last = min(first + 64, rows);
  float m = -INFINITY;
  for (int r = first; r < last; ++r) m = fmaxf(m, x[(size_t)r * cols + c]);
  atomic_max_float(&y[c], m);
}
torch::Tensor run(torch::Tensor x) {
  int rows = x.size(0), cols = x.size(1);
  auto y = torch::empty({cols}, x.options());
  dim3 grid((cols + 127) / 128, (rows + 63) / 64);
  column_max<<<grid, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, cols);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="atomic_max_on_empty", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
