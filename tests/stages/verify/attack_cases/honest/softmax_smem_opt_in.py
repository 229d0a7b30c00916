# task: softmax_wide_of_honest
# expect: correct
# why: one block per row, the row of 80 000 bytes is kept in dynamic shared memory that a std::once_flag opts in to once
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_CPP = "at::Tensor softmax_rows(const at::Tensor& x);"

_CUDA = r"""
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <mutex>

namespace {

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;

struct MaxOp {
  __device__ __forceinline__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct SumOp {
  __device__ __forceinline__ float operator()(float a, float b) const { return a + b; }
};

template <typename Op>
__device__ float block_all_reduce(float value, float identity, float* scratch, Op op) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1)
    value = op(value, __shfl_xor_sync(0xffffffffu, value, offset));
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) scratch[warp] = value;
  __syncthreads();
  value = lane < kWarps ? scratch[lane] : identity;
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1)
    value = op(value, __shfl_xor_sync(0xffffffffu, value, offset));
  __syncthreads();  // scratch may be written again
  return value;
}

__global__ __launch_bounds__(kThreads) void softmax_kernel(const float* __restrict__ x,
                                                           float* __restrict__ y, int cols) {
  extern __shared__ float row[];
  __shared__ float scratch[kWarps];
  const size_t base = static_cast<size_t>(blockIdx.x) * cols;

  float biggest = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += kThreads) {
    const float v = __ldg(x + base + c);
    row[c] = v;  // each thread reads back only what it has written itself
    biggest = fmaxf(biggest, v);
  }
  biggest = block_all_reduce(biggest, -INFINITY, scratch, MaxOp{});

  float total = 0.f;
  for (int c = threadIdx.x; c < cols; c += kThreads) {
    const float e = expf(row[c] - biggest);
    row[c] = e;
    total += e;
  }
  total = block_all_reduce(total, 0.f, scratch, SumOp{});

  for (int c = threadIdx.x; c < cols; c += kThreads) y[base + c] = row[c] / total;
}

std::once_flag opted_in;

}  // namespace

at::Tensor softmax_rows(const at::Tensor& x) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 2 && x.is_contiguous());
  TORCH_CHECK(x.scalar_type() == at::kFloat, "float32 only");
  const c10::cuda::CUDAGuard guard(x.device());
  const int rows = x.size(0), cols = x.size(1);
  const size_t bytes = sizeof(float) * cols;
  std::call_once(opted_in, [] {
    int limit = 0, device = 0;
    C10_CUDA_CHECK(cudaGetDevice(&device));
    C10_CUDA_CHECK(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    // the static array of the kernel counts too
    C10_CUDA_CHECK(cudaFuncSetAttribute(softmax_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        limit - 1024));
  });
  at::Tensor y = at::empty_like(x);
  softmax_kernel<<<rows, kThreads, bytes, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), cols);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

_module = load_inline("softmax_smem_once", cpp_sources=_CPP, cuda_sources=_CUDA,
                      functions=["softmax_rows"])


class ModelNew(nn.Module):
    def forward(self, x):
        return _module.softmax_rows(x)
