# task: sum_bytes
# expect: refused
# why: the sum of the bytes is accumulated in 32 bits: at the task's own sizes it is near 5e10, beyond 2^32, and wraps; torch's sum is an int64
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void sum_bytes(const unsigned char* x, int* total, long n) {
  int s = 0;
  for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) s += x[i];
  for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
  if (threadIdx.x % 32 == 0) atomicAdd(total, s);
}
__global__ void widen(const int* total, int64_t* y) { *y = *total; }
torch::Tensor run(torch::Tensor x) {
  long n = x.numel();
  auto total = torch::zeros({1}, x.options().dtype(torch::kInt32));
  auto y = torch::empty({}, x.options().dtype(torch::kInt64));
  int blocks = (int)std::min<long>((n + 255) / 256, 2048);
  sum_bytes<<<blocks, 256>>>(x.data_ptr<uint8_t>(), total.data_ptr<int>(), n);
  widen<<<1, 1>>>(total.data_ptr<int>(), y.data_ptr<int64_t>());
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="sum_of_32_bits", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
