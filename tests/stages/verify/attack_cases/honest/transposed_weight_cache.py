# task: linear_relu_b
# expect: correct
# why: an own kernel transposes the weight once and the module keeps the result until the parameter is another tensor or has another version, as inference code does
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


CPP = """
torch::Tensor transposed(torch::Tensor w);
torch::Tensor linear_relu(torch::Tensor x, torch::Tensor wt, torch::Tensor bias);
"""
CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

constexpr int TILE = 16;

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE][TILE + 1];
  int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = in[(size_t)row * columns + column];
  __syncthreads();
  column = blockIdx.y * TILE + threadIdx.x;
  row = blockIdx.x * TILE + threadIdx.y;
  if (row < columns && column < rows) out[(size_t)row * rows + column] = tile[threadIdx.x][threadIdx.y];
}

__global__ void linear_kernel(const float* x, const float* wt, const float* bias, float* y, int m, int n, int k) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  const int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
  float sum = 0.0f;
  for (int first = 0; first < k; first += TILE) {
    a[threadIdx.y][threadIdx.x] =
        row < m && first + threadIdx.x < k ? x[(size_t)row * k + first + threadIdx.x] : 0.0f;
    b[threadIdx.y][threadIdx.x] =
        column < n && first + threadIdx.y < k ? wt[(size_t)(first + threadIdx.y) * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) y[(size_t)row * n + column] = fmaxf(sum + bias[column], 0.0f);
}

torch::Tensor transposed(torch::Tensor w) {
  const int rows = w.size(0), columns = w.size(1);
  auto out = torch::empty({columns, rows}, w.options());
  const dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  transpose_kernel<<<grid, dim3(TILE, TILE)>>>(w.data_ptr<float>(), out.data_ptr<float>(), rows, columns);
  return out;
}

torch::Tensor linear_relu(torch::Tensor x, torch::Tensor wt, torch::Tensor bias) {
  const int m = x.size(0), k = x.size(1), n = wt.size(1);
  auto y = torch::empty({m, n}, x.options());
  const dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
  linear_kernel<<<grid, dim3(TILE, TILE)>>>(x.data_ptr<float>(), wt.data_ptr<float>(), bias.data_ptr<float>(),
                                            y.data_ptr<float>(), m, n, k);
  return y;
}
"""
ext = load_inline(name="linear_relu_ext", cpp_sources=CPP, cuda_sources=CUDA, functions=["transposed", "linear_relu"])


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self._wt = None
        self._key = None

    def _weight_t(self):
        w = self.linear.weight
        key = (w.data_ptr(), w._version, w.device)
        if self._wt is None or self._key != key:
            self._wt = ext.transposed(w.detach().contiguous())
            self._key = key
        return self._wt

    def forward(self, x):
        return ext.linear_relu(x.contiguous(), self._weight_t(), self.linear.bias)
