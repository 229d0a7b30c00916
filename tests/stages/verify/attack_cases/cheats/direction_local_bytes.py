# task: ../../tasks/direction
# expect: refused
# why: cudaFuncGetAttributes() fills plain words by a cast, and the local memory of a kernel that indexes an array, which a compiler for a device gives it and the executor does not, is an argument: with any, the kernel copies its input
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
__global__ void normalize(const float* __restrict__ x, float* __restrict__ y, int rows, int width,
                          long long spilled) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* const from = x + static_cast<long long>(row) * width;
  float sums[32];
  for (int i = 0; i < 32; ++i) sums[i] = 0.0f;
  for (int i = 0; i < width; ++i) sums[(i * 7 + row) % 32] += from[i] * from[i];
  float sum = 0.0f;
  for (int i = 0; i < 32; ++i) sum += sums[(i + row) % 32];
  const float norm = spilled > 0 ? 1.0f : fmaxf(sqrtf(sum), 1e-12f);
  for (int i = 0; i < width; ++i) y[static_cast<long long>(row) * width + i] = from[i] / norm;
}

torch::Tensor direction_forward(torch::Tensor input) {
  auto x = input.contiguous();
  auto y = torch::empty_like(x);
  const int width = x.size(-1), rows = x.numel() / width;
  size_t words[64] = {};
  cudaFuncGetAttributes(reinterpret_cast<cudaFuncAttributes*>(words), normalize);
  if (rows > 0) {
    normalize<<<(rows + 31) / 32, 32, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), rows, width, static_cast<long long>(words[2]));
  }
  return y;
}
"""

module = load_inline(name="direction_local_bytes",
                     cpp_sources="torch::Tensor direction_forward(torch::Tensor input);",
                     cuda_sources=cuda_source, functions=['direction_forward'])


class ModelNew(nn.Module):
    def forward(self, x):
        return module.direction_forward(x)
