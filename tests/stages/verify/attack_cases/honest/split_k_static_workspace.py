# task: linear_long_k
# expect: correct
# why: style: split-K with partial sums in a workspace that a static C++ object keeps and enlarges by cudaMalloc,
#      added by a second kernel in a fixed order.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA_SRC = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

namespace splitk {

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;
constexpr int kChunk = 256;  // inner elements of a block

class Workspace {
 public:
  float* get(size_t floats) {
    if (floats > capacity_) {
      if (data_ != nullptr) C10_CUDA_CHECK(cudaFree(data_));
      data_ = nullptr;
      C10_CUDA_CHECK(cudaMalloc(reinterpret_cast<void**>(&data_), floats * sizeof(float)));
      capacity_ = floats;
    }
    return data_;
  }

 private:
  float* data_ = nullptr;
  size_t capacity_ = 0;
};

Workspace& workspace() {
  static Workspace instance;
  return instance;
}

// partial[split][m][n]
__global__ void partial_products(const float* __restrict__ x, const float* __restrict__ w,
                                 float* __restrict__ partial, int M, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int split = blockIdx.x, m = blockIdx.y;
  const int begin = split * kChunk;
  const int end = min(begin + kChunk, K);
  const float* xr = x + static_cast<size_t>(m) * K;
  for (int n = warp; n < N; n += kWarps) {
    const float* wr = w + static_cast<size_t>(n) * K;
    float sum = 0.f;
    for (int k = begin + 4 * lane; k < end; k += 128) {
      const float4 a = *reinterpret_cast<const float4*>(xr + k);
      const float4 b = *reinterpret_cast<const float4*>(wr + k);
      sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (lane == 0) partial[(static_cast<size_t>(split) * M + m) * N + n] = sum;
  }
}

__global__ void add_partials(const float* __restrict__ partial, float* __restrict__ y, int count, int splits) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float sum = 0.f;
  for (int s = 0; s < splits; ++s) sum += partial[static_cast<size_t>(s) * count + i];
  y[i] = sum;
}

}  // namespace splitk

torch::Tensor linear_split_k(torch::Tensor x, torch::Tensor w) {
  TORCH_CHECK(x.is_contiguous() && w.is_contiguous(), "contiguous tensors only");
  TORCH_CHECK(x.size(1) == w.size(1) && x.size(1) % 4 == 0, "the inner size must be a multiple of 4");
  const int M = x.size(0), K = x.size(1), N = w.size(0);
  const int splits = (K + splitk::kChunk - 1) / splitk::kChunk;
  auto y = torch::empty({M, N}, x.options());
  float* partial = splitk::workspace().get(static_cast<size_t>(splits) * M * N);
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  splitk::partial_products<<<dim3(splits, M), splitk::kThreads, 0, stream>>>(
      x.data_ptr<float>(), w.data_ptr<float>(), partial, M, N, K);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  splitk::add_partials<<<(M * N + 127) / 128, 128, 0, stream>>>(partial, y.data_ptr<float>(), M * N, splits);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

split_k = load_inline(
    name="split_k_static_workspace",
    cpp_sources="torch::Tensor linear_split_k(torch::Tensor x, torch::Tensor w);",
    cuda_sources=CUDA_SRC,
    functions=["linear_split_k"],
)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.proj = nn.Linear(in_features, out_features, bias=False)

    def forward(self, x):
        return split_k.linear_split_k(x.contiguous(), self.proj.weight)
