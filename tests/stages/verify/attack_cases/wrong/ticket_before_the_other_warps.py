# task: frobenius
# expect: refused
# why: thread 0 takes the block's ticket without waiting for the other warps to store their partial sums: the last block may read them before they are written
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__device__ __forceinline__ float warp_sum(float v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}
__global__ void frobenius(const float* x, float* partial, unsigned int* tickets, float* y, long n) {
  __shared__ float red[8];
  __shared__ bool last;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float s = 0.0f;
  for (long i = (long)blockIdx.x * 256 + threadIdx.x; i < n; i += (long)gridDim.x * 256) s += x[i] * x[i];
  s = warp_sum(s);
  if (lane == 0) {
    partial[blockIdx.x * 8 + warp] = s;
    __threadfence();
  }
  if (threadIdx.x == 0) last = atomicAdd(tickets, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  float t = 0.0f;
  for (int i = threadIdx.x; i < gridDim.x * 8; i += 256) t += partial[i];
  t = warp_sum(t);
  if (lane == 0) red[warp] = t;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int w = 0; w < 8; ++w) total += red[w];
    *y = sqrtf(total);
  }
}
torch::Tensor run(torch::Tensor x) {
  long n = x.numel();
  int blocks = (int)std::min<long>((n + 4095) / 4096, 256);
  auto partial = torch::empty({blocks * 8}, x.options());
  auto tickets = torch::zeros({1}, x.options().dtype(torch::kInt32));
  auto y = torch::empty({}, x.options());
  frobenius<<<blocks, 256>>>(x.data_ptr<float>(), partial.data_ptr<float>(), (unsigned int*)tickets.data_ptr<int>(), y.data_ptr<float>(), n);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="ticket_before_the_other_warps", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
