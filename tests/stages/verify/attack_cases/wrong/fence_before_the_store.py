# task: column_sum
# expect: refused
# why: __threadfence() comes before the store of the partial sums, not between it and the ticket: the last block may see the ticket and not the sums
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void column_sum(const float* x, float* partial, unsigned int* tickets, float* y, int rows, int cols) {
  __shared__ bool last;
  int first = blockIdx.x * 64, end = min(first + 64, rows);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    float s = 0.0f;
    for (int r = first; r < end; ++r) s += x[(size_t)r * cols + c];
    __threadfence();
    partial[(size_t)blockIdx.x * cols + c] = s;
  }
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(tickets, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    float s = 0.0f;
    for (int b = 0; b < gridDim.x; ++b) s += partial[(size_t)b * cols + c];
    y[c] = s;
  }
}
torch::Tensor run(torch::Tensor x) {
  int rows = x.size(0), cols = x.size(1), blocks = (rows + 63) / 64;
  auto partial = torch::empty({blocks, cols}, x.options());
  auto tickets = torch::zeros({1}, x.options().dtype(torch::kInt32));
  auto y = torch::empty({cols}, x.options());
  column_sum<<<blocks, 256>>>(x.data_ptr<float>(), partial.data_ptr<float>(), (unsigned int*)tickets.data_ptr<int>(), y.data_ptr<float>(), rows, cols);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="fence_before_the_store", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
