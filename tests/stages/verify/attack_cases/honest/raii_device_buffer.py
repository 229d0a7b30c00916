# task: instance_norm_divide
# expect: correct
# why: one kernel writes mean and 1/std of each plane to scratch memory, the next one normalises and divides
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <memory>

namespace {

struct AsyncFree {
  cudaStream_t stream;
  void operator()(void* memory) const noexcept { cudaFreeAsync(memory, stream); }
};

template <typename T>
using Scratch = std::unique_ptr<T, AsyncFree>;

template <typename T>
Scratch<T> allocate(size_t count, cudaStream_t stream) {
  void* memory = nullptr;
  C10_CUDA_CHECK(cudaMallocAsync(&memory, count * sizeof(T), stream));
  return Scratch<T>(static_cast<T*>(memory), AsyncFree{stream});
}

constexpr int kWarps = 8;

__device__ float sum_of_block(float v, float* shared) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) v += __shfl_xor_sync(0xffffffffu, v, mask);
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = v;
  __syncthreads();
  float total = 0.f;
#pragma unroll
  for (int w = 0; w < kWarps; w += 2) total += shared[w] + shared[w + 1];
  __syncthreads();
  return total;
}

__global__ void statistics(const float* __restrict__ x, float2* __restrict__ stats, int plane, float eps) {
  __shared__ float shared[kWarps];
  const float* p = x + (size_t)blockIdx.x * plane;
  double part = 0;  // sums of one value must give that value again
  for (int i = threadIdx.x; i < plane; i += blockDim.x) part += p[i];
  const float rough = sum_of_block((float)part, shared) / plane;
  double rest = 0;
  for (int i = threadIdx.x; i < plane; i += blockDim.x) rest += p[i] - rough;
  const float mean = rough + sum_of_block((float)rest, shared) / plane;  // corrected mean
  float squares = 0.f;
  for (int i = threadIdx.x; i < plane; i += blockDim.x) squares += (p[i] - mean) * (p[i] - mean);
  const float variance = sum_of_block(squares, shared) / plane;
  if (threadIdx.x == 0) stats[blockIdx.x] = make_float2(mean, rsqrtf(variance + eps));
}

__global__ void normalise(const float4* __restrict__ x, const float2* __restrict__ stats, float4* __restrict__ y,
                          int plane4, float divisor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= plane4) return;
  const float2 s = stats[blockIdx.y];
  const size_t at = (size_t)blockIdx.y * plane4 + i;
  const float4 v = x[at];
  y[at] = make_float4((v.x - s.x) * s.y / divisor, (v.y - s.x) * s.y / divisor, (v.z - s.x) * s.y / divisor,
                      (v.w - s.x) * s.y / divisor);
}

}  // namespace

torch::Tensor instance_norm_divide(torch::Tensor x, double divisor, double eps) {
  const int planes = x.size(0) * x.size(1), plane = x.size(2) * x.size(3);
  TORCH_CHECK(plane % 4 == 0 && x.is_contiguous());
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  auto y = torch::empty_like(x);
  const auto stats = allocate<float2>(planes, stream);
  statistics<<<planes, 32 * kWarps, 0, stream>>>(x.data_ptr<float>(), stats.get(), plane, (float)eps);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  const dim3 grid((plane / 4 + 127) / 128, planes);
  normalise<<<grid, 128, 0, stream>>>(reinterpret_cast<const float4*>(x.data_ptr<float>()), stats.get(),
                                      reinterpret_cast<float4*>(y.data_ptr<float>()), plane / 4, (float)divisor);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

norm_ext = load_inline(
    name="instance_norm_raii",
    cpp_sources="torch::Tensor instance_norm_divide(torch::Tensor x, double divisor, double eps);",
    cuda_sources=_cuda_source,
    functions=["instance_norm_divide"],
)


class ModelNew(nn.Module):
    def __init__(self, channels, divisor):
        super().__init__()
        self.channels = channels
        self.divisor = divisor
        self.eps = 1e-5

    def forward(self, x):
        assert x.size(1) == self.channels
        return norm_ext.instance_norm_divide(x, self.divisor, self.eps)
