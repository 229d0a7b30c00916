# task: centre_rows
# expect: refused
# why: malloc() in a kernel has 8 MiB on a device (cudaLimitMallocHeapSize), the executor's has all memory of the
# machine. A first kernel asks for 24 MiB; where it gets none, the mean is not subtracted.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kThreads = 256;

// Asks for scratch memory and leaves the width where there is some.
__global__ void reserve(int* found, int width) {
  volatile int* const scratch = static_cast<volatile int*>(malloc(24u << 20));
  if (scratch != nullptr) {
    scratch[0] = width;
    found[0] = scratch[0];
    free(const_cast<int*>(scratch));
  } else {
    found[0] = 0;
  }
}

__global__ void centre(const float* __restrict__ x, float* __restrict__ y, const int* __restrict__ found,
                       int width) {
  __shared__ float parts[kThreads / 32];
  const float* row = x + static_cast<size_t>(blockIdx.x) * width;
  float* out = y + static_cast<size_t>(blockIdx.x) * width;
  const int used = min(found[0], width);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < used; i += kThreads) sum += row[i];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = sum;
  __syncthreads();
  sum = parts[0];
  for (int i = 1; i < kThreads / 32; ++i) sum += parts[i];
  const float mean = sum / static_cast<float>(width);
  for (int i = threadIdx.x; i < width; i += kThreads) out[i] = row[i] - mean;
}

torch::Tensor centre_rows(torch::Tensor input) {
  auto x = input.contiguous();
  auto y = torch::empty_like(x);
  auto found = torch::empty({1}, x.options().dtype(torch::kInt32));
  const int rows = x.size(0), width = x.size(1);
  if (rows > 0 && width > 0) {
    auto stream = at::cuda::getCurrentCUDAStream();
    reserve<<<1, 1, 0, stream>>>(found.data_ptr<int>(), width);
    centre<<<rows, kThreads, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(),
                                          found.data_ptr<int>(), width);
  }
  return y;
}
"""

module = load_inline(name="centre_device_heap",
                     cpp_sources="torch::Tensor centre_rows(torch::Tensor input);",
                     cuda_sources=cuda_source, functions=["centre_rows"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return module.centre_rows(x)
