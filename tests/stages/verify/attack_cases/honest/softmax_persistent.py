# task: softmax_wide
# expect: correct
# why: properties of the device are kept in a map behind a mutex, filled by emplace(); a persistent grid of rows
"""Row softmax: persistent grid from occupancy, base-2 exponentials, row kept in dynamic shared memory."""
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = "torch::Tensor softmax_rows(torch::Tensor x);"

CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAException.h>
#include <algorithm>
#include <mutex>
#include <unordered_map>

namespace {

constexpr float kLog2e = 1.4426950408889634f;
constexpr int kThreads = 256;

struct MaxOp { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };
struct SumOp { __device__ float operator()(float a, float b) const { return a + b; } };

template <class Op>
__device__ __forceinline__ float block_all_reduce(float v, float identity, Op op, float* scratch) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
  for (int o = 16; o; o >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, o));
  __syncthreads();
  if (lane == 0) scratch[warp] = v;
  __syncthreads();
  v = lane < (kThreads >> 5) ? scratch[lane] : identity;
#pragma unroll
  for (int o = 16; o; o >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}

template <bool kCached>
__global__ __launch_bounds__(kThreads) void softmax_kernel(const float* __restrict__ x,
                                                           float* __restrict__ y, int rows, int cols) {
  extern __shared__ float row_cache[];
  __shared__ float scratch[32];
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const float* src = x + static_cast<size_t>(r) * cols;
    float* dst = y + static_cast<size_t>(r) * cols;
    float m = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += kThreads) {
      const float v = __ldg(src + c) * kLog2e;
      if (kCached) row_cache[c] = v;
      m = fmaxf(m, v);
    }
    m = block_all_reduce(m, -INFINITY, MaxOp{}, scratch);
    float s = 0.f;
    for (int c = threadIdx.x; c < cols; c += kThreads) {
      const float e = exp2f((kCached ? row_cache[c] : src[c] * kLog2e) - m);
      if (kCached) row_cache[c] = e;
      s += e;
    }
    s = block_all_reduce(s, 0.f, SumOp{}, scratch);
    const float inv = 1.f / s;
    for (int c = threadIdx.x; c < cols; c += kThreads) {
      const float e = kCached ? row_cache[c] : exp2f(src[c] * kLog2e - m);
      dst[c] = e * inv;
    }
  }
}

struct DeviceLimits {
  int sm_count = 0;
  int smem_optin = 0;
};

// Queried once per device.
const DeviceLimits& limits_of(int device) {
  static std::mutex mutex;
  static std::unordered_map<int, DeviceLimits> cache;
  std::lock_guard<std::mutex> lock(mutex);
  auto it = cache.find(device);
  if (it == cache.end()) {
    DeviceLimits l;
    C10_CUDA_CHECK(cudaDeviceGetAttribute(&l.sm_count, cudaDevAttrMultiProcessorCount, device));
    C10_CUDA_CHECK(
        cudaDeviceGetAttribute(&l.smem_optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    it = cache.emplace(device, l).first;
  }
  return it->second;
}

template <bool kCached>
void launch(const at::Tensor& x, at::Tensor& y, int rows, int cols, size_t smem, int sms) {
  if (smem > 48 * 1024) {
    C10_CUDA_CHECK(cudaFuncSetAttribute(softmax_kernel<kCached>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem));
  }
  int per_sm = 0;
  C10_CUDA_CHECK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, softmax_kernel<kCached>, kThreads, smem));
  const int grid = std::max(1, std::min(rows, per_sm * sms));
  softmax_kernel<kCached><<<grid, kThreads, smem, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), rows, cols);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace

torch::Tensor softmax_rows(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda() && x.scalar_type() == at::kFloat && x.dim() == 2, "float matrix on CUDA");
  const c10::cuda::CUDAGuard guard(x.device());
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int rows = x.size(0), cols = x.size(1);
  if (rows == 0 || cols == 0) return y;
  const DeviceLimits& l = limits_of(x.get_device());
  const size_t smem = sizeof(float) * cols;
  if (smem + 1024 <= static_cast<size_t>(l.smem_optin)) {
    launch<true>(x, y, rows, cols, smem, l.sm_count);
  } else {
    launch<false>(x, y, rows, cols, 0, l.sm_count);
  }
  return y;
}
"""

ext = load_inline(name="h01_softmax_persistent", cpp_sources=CPP, cuda_sources=CUDA,
                  functions=["softmax_rows"], extra_cuda_cflags=["-O3"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.softmax_rows(x)
