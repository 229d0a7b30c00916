# task: hypot
# expect: refused
# why: sqrtf(a*a + b*b) overflows to infinity for inputs above 1.8e19 (and underflows below 1e-23), where torch.hypot is finite
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void length2(const float* a, const float* b, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sqrtf(a[i] * a[i] + b[i] * b[i]);
}
torch::Tensor run(torch::Tensor a, torch::Tensor b) {
  auto y = torch::empty_like(a);
  int n = a.numel();
  length2<<<(n + 255) / 256, 256>>>(a.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor a, torch::Tensor b);
'''

extension = load_inline(name="naive_hypot", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return extension.run(a, b)
