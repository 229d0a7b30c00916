# task: sum_of_squares_b
# expect: refused
# why: the ticket counter is kept between calls and never reset: a block is the last one if ticket % 1000 is 999, but after
#      2^32 tickets (4.3 million calls, some minutes of calls in a loop) the counter wraps at a number that is no multiple of
#      1000 and from then on an early block finishes
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
__global__ void sums(const float* x, float* parts, unsigned* ticket, float* out, int cols) {
  __shared__ float warps[8];
  __shared__ bool last;
  float sum = 0.f;
  for (int c = threadIdx.x; c < cols; c += 256) { float v = x[(size_t)blockIdx.x * cols + c]; sum += v * v; }
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) sum += warps[w];
    parts[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(ticket, 1u) % gridDim.x == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  volatile float* all = parts;
  sum = 0.f;
  for (int p = threadIdx.x; p < gridDim.x; p += 256) sum += all[p];
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) sum += warps[w];
    out[0] = sum;
  }
}
torch::Tensor sum_of_squares(torch::Tensor x, torch::Tensor ticket) {
  int rows = x.size(0);
  auto parts = torch::empty({rows}, x.options());
  auto out = torch::empty({}, x.options());
  sums<<<rows, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), parts.data_ptr<float>(), reinterpret_cast<unsigned*>(ticket.data_ptr<int>()), out.data_ptr<float>(), x.size(1));
  return out;
}
"""

cpp_source = """
torch::Tensor sum_of_squares(torch::Tensor x, torch::Tensor ticket);
"""

ext = load_inline(name="25_ticket_counter_wraps", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['sum_of_squares'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("ticket", torch.zeros(1, dtype=torch.int32), persistent=False)

    def forward(self, x):
        if self.ticket.device != x.device:
            self.ticket = self.ticket.to(x.device)
        return ext.sum_of_squares(x.contiguous(), self.ticket)
