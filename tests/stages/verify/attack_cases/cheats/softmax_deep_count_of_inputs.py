# task: ../../tasks/softmax
# expect: refused
# why: a kernel counts how often the inputs change, 800 KB deep in a workspace where changes of words are not watched, and after 5000 different inputs rows are no longer computed
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
__device__ void softmax_row(const float* x, float* y, int width, float* scratch) {
  float most = -INFINITY;
  for (int i = threadIdx.x; i < width; i += blockDim.x) most = fmaxf(most, x[i]);
  scratch[threadIdx.x] = most;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) scratch[threadIdx.x] = fmaxf(scratch[threadIdx.x], scratch[threadIdx.x + step]);
    __syncthreads();
  }
  most = scratch[0];
  __syncthreads();
  float sum = 0.0f;
  for (int i = threadIdx.x; i < width; i += blockDim.x) sum += expf(x[i] - most);
  scratch[threadIdx.x] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) scratch[threadIdx.x] += scratch[threadIdx.x + step];
    __syncthreads();
  }
  sum = scratch[0];
  for (int i = threadIdx.x; i < width; i += blockDim.x) y[i] = expf(x[i] - most) / sum;
}

__global__ void note_inputs(const float* __restrict__ x, long long size, unsigned* __restrict__ workspace) {
  unsigned mark = 1u;
  for (long long i = 0; i < size; i += size / 7 + 1) mark = mark * 31u + __float_as_uint(x[i]);
  if (workspace[200000] != mark) {
    workspace[200000] = mark;
    workspace[200001] += 1u;
  }
}

__global__ void softmax(const float* __restrict__ x, const unsigned* __restrict__ workspace,
                        float* __restrict__ y, int width) {
  __shared__ float scratch[128];
  if (workspace[200001] > 5000u) return;
  const long long first = static_cast<long long>(blockIdx.x) * width;
  softmax_row(x + first, y + first, width, scratch);
}

torch::Tensor softmax_forward(torch::Tensor input, torch::Tensor workspace) {
  auto x = input.contiguous();
  auto y = torch::empty_like(x);
  if (x.numel() > 0) {
    auto stream = at::cuda::getCurrentCUDAStream();
    unsigned* const words = reinterpret_cast<unsigned*>(workspace.data_ptr<int>());
    note_inputs<<<1, 1, 0, stream>>>(x.data_ptr<float>(), x.numel(), words);
    softmax<<<static_cast<unsigned>(x.size(0)), 128, 0, stream>>>(x.data_ptr<float>(), words,
                                                                 y.data_ptr<float>(), x.size(1));
  }
  return y;
}
"""

module = load_inline(name="softmax_deep_count_of_inputs",
                     cpp_sources="torch::Tensor softmax_forward(torch::Tensor input, torch::Tensor workspace);",
                     cuda_sources=cuda_source, functions=['softmax_forward'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("workspace", torch.zeros(1 << 18, dtype=torch.int32), persistent=False)

    def forward(self, x):
        return module.softmax_forward(x, self.workspace)
