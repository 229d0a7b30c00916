# task: invert_images
# expect: refused
# why: the element's index is an int, and the task's own tensor has 3221225472 elements: beyond 2^31 it is negative, and the access out of bounds
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void invert(const unsigned char* x, unsigned char* y, long n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 255 - x[i];
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty_like(x);
  long n = x.numel();
  invert<<<(unsigned int)((n + 255) / 256), 256>>>(x.data_ptr<uint8_t>(), y.data_ptr<uint8_t>(), n);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="index_of_32_bits", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
