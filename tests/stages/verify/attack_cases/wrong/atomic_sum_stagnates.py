# task: mse_large
# expect: refused
# why: every element is added to one float by an atomic: with 67108864 elements the sum passes 2^26, where an element below 4 (most are) changes nothing: the mean is off by more than a tenth
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void add_squares(const float* a, const float* b, float* sum, long n) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float d = a[i] - b[i];
    atomicAdd(sum, d * d);
  }
}
__global__ void divide(const float* sum, float* y, long n) { *y = *sum / (float)n; }
torch::Tensor run(torch::Tensor a, torch::Tensor b) {
  long n = a.numel();
  auto sum = torch::zeros({1}, a.options());
  auto y = torch::empty({}, a.options());
  add_squares<<<(unsigned int)((n + 255) / 256), 256>>>(a.data_ptr<float>(), b.data_ptr<float>(), sum.data_ptr<float>(), n);
  divide<<<1, 1>>>(sum.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor a, torch::Tensor b);
'''

extension = load_inline(name="atomic_sum_stagnates", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return extension.run(a, b)
