# task: index_add
# expect: refused
# why: rows are added without atomics: two updates of one index (16 draws of 50000: it occurs) race, and one of them may be lost
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void copy_table(const float* table, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = table[i];
}
__global__ void add_rows(const int64_t* index, const float* source, float* y, int width) {
  const int64_t to = index[blockIdx.x];
  for (int c = threadIdx.x; c < width; c += blockDim.x)
    y[to * width + c] += source[(size_t)blockIdx.x * width + c];
}
torch::Tensor run(torch::Tensor table, torch::Tensor index, torch::Tensor source) {
  auto y = torch::empty_like(table);
  int n = table.numel();
  copy_table<<<(n + 255) / 256, 256>>>(table.data_ptr<float>(), y.data_ptr<float>(), n);
  add_rows<<<index.size(0), 64>>>(index.data_ptr<int64_t>(), source.data_ptr<float>(), y.data_ptr<float>(), table.size(1));
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor table, torch::Tensor index, torch::Tensor source);
'''

extension = load_inline(name="update_without_atomics", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, table, index, source):
        return extension.run(table, index, source)
