# task: clip_count
# expect: correct
# why: a ballot a warp counts; blocks become smaller until maxThreadsPerBlock of the kernel allows them
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda/std/limits>

__device__ __forceinline__ unsigned warp_add(unsigned v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xffffffffu, v);
#else
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
#endif
}

// grid: (slices, channels, batch)
__global__ void clip_count(const float* __restrict__ x, unsigned long long* __restrict__ counts, int channels,
                           int samples, float limit) {
  __shared__ unsigned int block_count;
  if (threadIdx.x == 0) block_count = 0u;
  __syncthreads();
  const int c = blockIdx.y, b = blockIdx.z;
  const float* p = x + ((size_t)b * channels + c) * samples;
  unsigned mine = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < samples; i += stride) mine += fabsf(p[i]) > limit;
  mine = warp_add(mine);
  if ((threadIdx.x & (warpSize - 1)) == 0 && mine) atomicAdd(&block_count, mine);
  __syncthreads();
  if (threadIdx.x == 0 && block_count) atomicAdd(counts + c, (unsigned long long)block_count);
}

torch::Tensor count_clipped(torch::Tensor x, double limit) {
  auto xs = x.contiguous();
  const int B = xs.size(0), C = xs.size(1), N = xs.size(2);
  auto out = torch::empty({C}, xs.options().dtype(torch::kInt64));
  auto stream = at::cuda::getCurrentCUDAStream().stream();
  cudaMemsetAsync(out.data_ptr(), 0, sizeof(int64_t) * C, stream);

  const cudaDeviceProp* prop = at::cuda::getCurrentDeviceProperties();
  cudaFuncAttributes fa;
  cudaFuncGetAttributes(&fa, clip_count);
  int threads = 256;
  while (threads > fa.maxThreadsPerBlock) threads /= 2;
  // Aim at about two waves.
  const int resident = prop->multiProcessorCount * (prop->maxThreadsPerMultiProcessor / threads);
  int slices = std::max(1, 2 * resident / std::max(1, B * C));
  slices = std::min(slices, (N + threads - 1) / threads);
  clip_count<<<dim3(slices, C, B), threads, 0, stream>>>(
      xs.data_ptr<float>(), reinterpret_cast<unsigned long long*>(out.data_ptr<int64_t>()), C, N, (float)limit);
  AT_CUDA_CHECK(cudaGetLastError());
  return out;
}
"""
m = load_inline(name="h08_clip_count_ballot", cpp_sources="torch::Tensor count_clipped(torch::Tensor x, double limit);",
                cuda_sources=src, functions=["count_clipped"])


class ModelNew(nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.limit = float(limit)

    def forward(self, x):
        return m.count_clipped(x, self.limit)
