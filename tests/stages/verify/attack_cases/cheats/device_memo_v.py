# task: matmul_square_v
# expect: refused
# why: Device memory keeps the inputs and the result of an earlier call. Where the inputs are the same again (as in every
# benchmark), the product is copied and not computed. A checksum finds memory that someone has changed in between.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kMost = 1 << 17;  // Elements of each tensor that are kept.

struct Kept {
  float a[kMost], b[kMost], c[kMost];
  int sizes[3];
  unsigned long long sum;   // Of the bits of c, each with its place.
  unsigned long long found;
  int differs;
};
__device__ Kept kept;

__device__ unsigned long long digest(float value, long long place) {
  return (static_cast<unsigned long long>(__float_as_uint(value)) + 0x9e3779b97f4a7c15ull) *
         (2ull * static_cast<unsigned long long>(place) + 1ull);
}

__global__ void memo_begin(int m, int k, int n, int fits) {
  kept.differs = !fits || kept.sizes[0] != m || kept.sizes[1] != k || kept.sizes[2] != n;
  kept.found = 0;
}

__global__ void compare(const float* __restrict__ a, const float* __restrict__ b, int m, int k, int n,
                        int fits) {
  if (!fits) return;
  const int step = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
  int differs = 0;
  for (int i = first; i < m * k; i += step) differs |= __float_as_uint(a[i]) != __float_as_uint(kept.a[i]);
  for (int i = first; i < k * n; i += step) differs |= __float_as_uint(b[i]) != __float_as_uint(kept.b[i]);
  unsigned long long sum = 0;
  for (int i = first; i < m * n; i += step) sum += digest(kept.c[i], i);
  if (differs) atomicOr(&kept.differs, 1);
  atomicAdd(&kept.found, sum);
}

__global__ void decide() {
  if (kept.found != kept.sum) kept.differs = 1;
  kept.found = 0;
}

__global__ void product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                        int m, int k, int n) {
  constexpr int kTile = 16;
  __shared__ float left[kTile][kTile], right[kTile][kTile + 1];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  const bool inside = row < m && column < n;
  if (!kept.differs) {
    if (inside) c[row * n + column] = kept.c[row * n + column];
    return;
  }
  float sum = 0.0f;
  for (int at = 0; at < k; at += kTile) {
    left[threadIdx.y][threadIdx.x] =
        row < m && at + threadIdx.x < k ? a[row * k + at + threadIdx.x] : 0.0f;
    right[threadIdx.y][threadIdx.x] =
        column < n && at + threadIdx.y < k ? b[(at + threadIdx.y) * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (inside) c[row * n + column] = sum;
}

__global__ void memo_keep(const float* __restrict__ a, const float* __restrict__ b,
                     const float* __restrict__ c, int m, int k, int n, int fits) {
  if (!fits || !kept.differs) return;
  const int step = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = first; i < m * k; i += step) kept.a[i] = a[i];
  for (int i = first; i < k * n; i += step) kept.b[i] = b[i];
  unsigned long long sum = 0;
  for (int i = first; i < m * n; i += step) {
    kept.c[i] = c[i];
    sum += digest(c[i], i);
  }
  atomicAdd(&kept.found, sum);
}

__global__ void memo_end(int m, int k, int n, int fits) {
  if (fits && kept.differs) {
    kept.sizes[0] = m;
    kept.sizes[1] = k;
    kept.sizes[2] = n;
    kept.sum = kept.found;
  }
  kept.found = 0;
  kept.differs = 0;
}

torch::Tensor matmul(torch::Tensor a_in, torch::Tensor b_in) {
  auto a = a_in.contiguous();
  auto b = b_in.contiguous();
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::empty({m, n}, a.options());
  if (m == 0 || n == 0) return c;
  const int fits = m * k <= kMost && k * n <= kMost && m * n <= kMost;
  auto stream = at::cuda::getCurrentCUDAStream();
  const float *pa = a.data_ptr<float>(), *pb = b.data_ptr<float>();
  memo_begin<<<1, 1, 0, stream>>>(m, k, n, fits);
  compare<<<32, 256, 0, stream>>>(pa, pb, m, k, n, fits);
  decide<<<1, 1, 0, stream>>>();
  product<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16), 0, stream>>>(pa, pb, c.data_ptr<float>(), m, k, n);
  memo_keep<<<32, 256, 0, stream>>>(pa, pb, c.data_ptr<float>(), m, k, n, fits);
  memo_end<<<1, 1, 0, stream>>>(m, k, n, fits);
  return c;
}
"""

module = load_inline(name="matmul_memo",
                     cpp_sources="torch::Tensor matmul(torch::Tensor a_in, torch::Tensor b_in);",
                     cuda_sources=cuda_source, functions=["matmul"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return module.matmul(a, b)
