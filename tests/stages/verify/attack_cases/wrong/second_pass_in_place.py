# task: blur_twice
# expect: refused
# why: the second blur reads and writes the same buffer: with more than one block of 256 a block may read its neighbour's edge before or after it is overwritten
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void blur(const float* in, float* out, long n) {
  __shared__ float tile[258];
  long i = (long)blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    tile[threadIdx.x + 1] = in[i];
    if (threadIdx.x == 0) tile[0] = in[i > 0 ? i - 1 : 0];
    if (threadIdx.x == 255 || i == n - 1) tile[threadIdx.x + 2] = in[i < n - 1 ? i + 1 : n - 1];
  }
  __syncthreads();
  if (i < n) out[i] = 0.25f * tile[threadIdx.x] + 0.5f * tile[threadIdx.x + 1] + 0.25f * tile[threadIdx.x + 2];
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty_like(x);
  long n = x.numel();
  unsigned int blocks = (unsigned int)((n + 255) / 256);
  blur<<<blocks, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  blur<<<blocks, 256>>>(y.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="second_pass_in_place", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
