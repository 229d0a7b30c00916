# task: total_sum
# expect: correct
# why: a sum in two kernels over a workspace that only grows, held by a C++ class with a static object; the number of blocks follows the multiprocessors that at::cuda::getCurrentDeviceProperties() says
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


CPP = "torch::Tensor sum_tail(torch::Tensor x);"
CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

#include <algorithm>

template <typename T>
__device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

template <int THREADS>
__device__ float block_sum(float value) {
  __shared__ float parts[THREADS / 32];
  __shared__ float result;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warp_sum(value);
  if (lane == 0) parts[warp] = value;
  __syncthreads();
  if (warp == 0) {
    float part = lane < THREADS / 32 ? parts[lane] : 0.0f;
    part = warp_sum(part);
    if (lane == 0) result = part;
  }
  __syncthreads();
  const float sum = result;
  __syncthreads();
  return sum;
}

constexpr int kThreads = 256;

__global__ void partial_kernel(const float* x, float* partial, int64_t items) {
  const float* part = x + (int64_t)blockIdx.y * items;
  float sum = 0.0f;
  for (int64_t i = (int64_t)blockIdx.x * kThreads + threadIdx.x; i < items; i += (int64_t)gridDim.x * kThreads)
    sum += part[i];
  sum = block_sum<kThreads>(sum);
  if (threadIdx.x == 0) partial[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

__global__ void final_kernel(const float* partial, float* out, int blocks) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < blocks; i += kThreads) sum += partial[blockIdx.x * blocks + i];
  sum = block_sum<kThreads>(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

class Workspace {
 public:
  float* get(int64_t floats, const torch::TensorOptions& options) {
    if (!buffer_.defined() || buffer_.numel() < floats) buffer_ = torch::empty({floats}, options);
    return buffer_.data_ptr<float>();
  }

 private:
  torch::Tensor buffer_;
};

torch::Tensor sum_tail(torch::Tensor x) {
  static Workspace workspace;
  const int64_t batch = x.size(0), items = x.numel() / std::max<int64_t>(batch, 1);
  const int processors = at::cuda::getCurrentDeviceProperties()->multiProcessorCount;
  const int64_t wanted = (items + kThreads - 1) / kThreads;
  const int blocks = static_cast<int>(std::clamp<int64_t>(wanted, 1, 2 * processors));
  auto out = torch::empty({batch}, x.options());
  float* partial = workspace.get(batch * blocks, x.options());
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  partial_kernel<<<dim3(blocks, batch), kThreads, 0, stream>>>(x.data_ptr<float>(), partial, items);
  final_kernel<<<batch, kThreads, 0, stream>>>(partial, out.data_ptr<float>(), blocks);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""
ext = load_inline(name="sum_tail_ext", cpp_sources=CPP, cuda_sources=CUDA, functions=["sum_tail"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.sum_tail(x.contiguous())
