# task: weeks
# expect: refused
# why: C++ division and remainder truncate towards zero, torch's floor: every negative day that is no multiple of 7 is wrong
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void weeks(const int64_t* days, int64_t* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int64_t d = days[i];
    y[i] = d / 7 * 10 + d % 7;
  }
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty_like(x);
  int n = x.numel();
  weeks<<<(n + 255) / 256, 256>>>(x.data_ptr<int64_t>(), y.data_ptr<int64_t>(), n);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="integer_division_truncates", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, days):
        return extension.run(days)
