# task: matmul_large_k
# expect: correct
# why: 32 slices of K write partial products to a workspace, a second kernel adds them in a fixed order
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = "torch::Tensor split_k_matmul(torch::Tensor a, torch::Tensor b, int64_t slices);"

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAException.h>

#define T 32

__global__ void partial_products(const float* __restrict__ a, const float* __restrict__ b,
                                 float* __restrict__ partial, int M, int N, int K, int k_per_slice) {
  __shared__ float as[T][T + 1];
  __shared__ float bs[T][T + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row0 = blockIdx.y * T, col0 = blockIdx.x * T;
  const int k_begin = blockIdx.z * k_per_slice;
  const int k_end = min(K, k_begin + k_per_slice);
  float acc[4] = {0.f, 0.f, 0.f, 0.f};

  for (int k0 = k_begin; k0 < k_end; k0 += T) {
    for (int r = ty; r < T; r += 8) {
      const int gr = row0 + r, gk = k0 + tx;
      as[r][tx] = gr < M && gk < k_end ? a[(size_t)gr * K + gk] : 0.f;
      const int bk = k0 + r, gc = col0 + tx;
      bs[r][tx] = bk < k_end && gc < N ? b[(size_t)bk * N + gc] : 0.f;
    }
    __syncthreads();
    for (int k = 0; k < T; ++k) {
      const float bv = bs[k][tx];
      #pragma unroll
      for (int r = 0; r < 4; ++r) acc[r] += as[ty + 8 * r][k] * bv;
    }
    __syncthreads();
  }
  float* out = partial + (size_t)blockIdx.z * M * N;
  for (int r = 0; r < 4; ++r) {
    const int row = row0 + ty + 8 * r, col = col0 + tx;
    if (row < M && col < N) out[row * N + col] = acc[r];
  }
}

__global__ void sum_slices(const float* __restrict__ partial, float* __restrict__ c, int count, int slices) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float sum = 0.f, lost = 0.f;  // Kahan
  for (int s = 0; s < slices; ++s) {
    const float v = partial[(size_t)s * count + i];
    const float y = v - lost;
    const float t = sum + y;
    lost = isfinite(t) ? (t - sum) - y : 0.f;
    sum = t;
  }
  c[i] = sum;
}

torch::Tensor split_k_matmul(torch::Tensor a, torch::Tensor b, int64_t slices) {
  const at::cuda::CUDAGuard device_guard(a.device());
  const int M = a.size(0), K = a.size(1), N = b.size(1);
  const int k_per_slice = (K + slices - 1) / slices;
  auto workspace = torch::empty({slices, M, N}, a.options());
  auto c = torch::empty({M, N}, a.options());
  const auto stream = at::cuda::getCurrentCUDAStream();
  const dim3 grid((N + T - 1) / T, (M + T - 1) / T, slices);
  partial_products<<<grid, dim3(T, 8), 0, stream>>>(a.data_ptr<float>(), b.data_ptr<float>(),
                                                    workspace.data_ptr<float>(), M, N, K, k_per_slice);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  sum_slices<<<(M * N + 255) / 256, 256, 0, stream>>>(workspace.data_ptr<float>(), c.data_ptr<float>(), M * N, slices);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return c;
}
"""

split_k = load_inline(name="split_k", cpp_sources=cpp_source, cuda_sources=cuda_source, functions=["split_k_matmul"])


def choose_slices(m, n, k, tile=32):
    """As many slices as fill the GPU about once, but none shorter than 256."""
    multiprocessors = torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
    tiles = -(-m // tile) * -(-n // tile)
    return max(1, min(k // 256, -(-multiprocessors // tiles)))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        m, k = a.shape
        n = b.shape[1]
        return split_k.split_k_matmul(a, b, choose_slices(m, n, k))
