# task: half_mean_wide
# expect: refused
# why: adds 307200 halves of about 0.5 in half precision (half2 partial sums, shared memory in half): the sum, 153600, is over 65504 and the mean is
# inf. torch accumulates in float.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

half_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_fp16.h>

constexpr int THREADS = 1024;

__global__ void __launch_bounds__(THREADS) half_mean_kernel(const __half* __restrict__ x,
                                                            __half* __restrict__ y, int n) {
  __shared__ __half2 part[THREADS / 32];
  const __half2* row = reinterpret_cast<const __half2*>(x + (size_t)blockIdx.x * n);

  __half2 acc = __float2half2_rn(0.0f);
  for (int i = threadIdx.x; i < n / 2; i += THREADS) acc = __hadd2(acc, row[i]);

  #pragma unroll
  for (int o = 16; o > 0; o >>= 1) acc = __hadd2(acc, __shfl_down_sync(0xffffffff, acc, o));
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = acc;
  __syncthreads();

  if (threadIdx.x < 32) {
    acc = part[threadIdx.x];
    #pragma unroll
    for (int o = 16; o > 0; o >>= 1) acc = __hadd2(acc, __shfl_down_sync(0xffffffff, acc, o));
    if (threadIdx.x == 0) {
      const __half sum = __hadd(__low2half(acc), __high2half(acc));
      y[blockIdx.x] = __float2half(__half2float(sum) / (float)n);
    }
  }
}

torch::Tensor half_mean(torch::Tensor images) {
  TORCH_CHECK(images.scalar_type() == torch::kHalf);
  auto x = images.contiguous();
  const int batch = x.size(0);
  const int n = x.numel() / batch;
  TORCH_CHECK(n % 2 == 0, "an even number of pixels is expected");
  auto y = torch::empty({batch}, x.options());
  half_mean_kernel<<<batch, THREADS, 0, at::cuda::getCurrentCUDAStream()>>>(
      reinterpret_cast<const __half*>(x.data_ptr<at::Half>()),
      reinterpret_cast<__half*>(y.data_ptr<at::Half>()), n);
  return y;
}
"""

ext = load_inline(name="half_mean_half_sum",
                  cpp_sources="torch::Tensor half_mean(torch::Tensor images);",
                  cuda_sources=half_source, functions=["half_mean"])


class ModelNew(nn.Module):
    def forward(self, images):
        return ext.half_mean(images)
