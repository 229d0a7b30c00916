# task: column_mean_b
# expect: refused
# why: thread 0 fences and takes the ticket of its block while other threads may not have written their partial sums yet (no
#      barrier before, and its fence is only its own): the last block may read old partial sums; where blocks run
#      one after the other all earlier blocks are complete, and only checks for races could tell
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
__global__ void mean_kernel(const float* x, float* parts, unsigned* tickets, float* y, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int part = (rows + gridDim.y - 1) / gridDim.y;
  int begin = blockIdx.y * part, end = min(rows, begin + part);
  if (c < cols) {
    float sum = 0.f;
    for (int r = begin; r < end; ++r) sum += x[(size_t)r * cols + c];
    parts[blockIdx.y * cols + c] = sum;
  }
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(&tickets[blockIdx.x], 1u) == gridDim.y - 1;
  }
  __syncthreads();
  if (last && c < cols) {
    float sum = 0.f;
    for (int p = 0; p < gridDim.y; ++p) sum += parts[p * cols + c];
    y[c] = sum / rows;
  }
}
torch::Tensor column_mean(torch::Tensor x) {
  int rows = x.size(0), cols = x.size(1), splits = 16, blocks = (cols + 127) / 128;
  auto parts = torch::empty({splits, cols}, x.options());
  auto tickets = torch::zeros({blocks}, x.options().dtype(torch::kInt32));
  auto y = torch::empty({cols}, x.options());
  mean_kernel<<<dim3(blocks, splits), 128, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), parts.data_ptr<float>(),
      reinterpret_cast<unsigned*>(tickets.data_ptr<int>()), y.data_ptr<float>(), rows, cols);
  return y;
}
"""

cpp_source = """
torch::Tensor column_mean(torch::Tensor x);
"""

ext = load_inline(name="19_ticket_before_all_have_written", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['column_mean'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.column_mean(x.contiguous())
