# task: pairwise_l1
# expect: correct
# why: style: persistent blocks, as many as fit by cudaOccupancyMaxActiveBlocksPerMultiprocessor, that draw 16 x 16
#      tiles from an atomic counter in a tensor of zeros; a barrier before the number in shared memory is
#      overwritten.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <algorithm>

#define T 16

__global__ void pairwise_l1_kernel(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out,
                                   int* next, int n, int m, int width, int tiles_x, int tiles) {
  __shared__ float xs[T][T + 1];
  __shared__ float ys[T][T + 1];
  __shared__ int tile;
  while (true) {
    if (threadIdx.x == 0 && threadIdx.y == 0) tile = atomicAdd(next, 1);
    __syncthreads();
    const int current = tile;
    __syncthreads();  // all have read it
    if (current >= tiles) break;

    const int row0 = current / tiles_x * T;
    const int col0 = current % tiles_x * T;
    float sum = 0.f;
    for (int k0 = 0; k0 < width; k0 += T) {
      const int k = k0 + threadIdx.x;
      xs[threadIdx.y][threadIdx.x] = row0 + threadIdx.y < n && k < width ? x[(row0 + threadIdx.y) * width + k] : 0.f;
      ys[threadIdx.y][threadIdx.x] = col0 + threadIdx.y < m && k < width ? y[(col0 + threadIdx.y) * width + k] : 0.f;
      __syncthreads();
#pragma unroll
      for (int i = 0; i < T; ++i) sum += fabsf(xs[threadIdx.y][i] - ys[threadIdx.x][i]);
      __syncthreads();
    }
    const int row = row0 + threadIdx.y, col = col0 + threadIdx.x;
    if (row < n && col < m) out[row * m + col] = sum;
  }
}

torch::Tensor pairwise_l1(torch::Tensor x, torch::Tensor y) {
  const int n = x.size(0), m = y.size(0), width = x.size(1);
  auto out = torch::empty({n, m}, x.options());
  auto next = torch::zeros({1}, x.options().dtype(torch::kInt));
  const int tiles_x = (m + T - 1) / T, tiles = tiles_x * ((n + T - 1) / T);

  int device = 0, multiprocessors = 0, per_multiprocessor = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, pairwise_l1_kernel, T * T, 0);
  const int blocks = std::max(1, std::min(tiles, multiprocessors * per_multiprocessor));

  pairwise_l1_kernel<<<blocks, dim3(T, T), 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), out.data_ptr<float>(), next.data_ptr<int>(), n, m, width, tiles_x, tiles);
  return out;
}
"""

ext = load_inline(
    name="pairwise_l1_persistent",
    cpp_sources="torch::Tensor pairwise_l1(torch::Tensor x, torch::Tensor y);",
    cuda_sources=cuda_source,
    functions=["pairwise_l1"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x, y):
        return self.ext.pairwise_l1(x.contiguous(), y.contiguous())
