# task: total_sum
# expect: correct
# why: the last block, by a counter in a __device__ variable, adds the parts
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

code = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAGuard.h>

namespace {

constexpr int kMaxImages = 4096;
constexpr int kBlock = 256;

// Arrivals of each image's blocks. atomicInc wraps to 0 with the last arrival, so that the next
// launch finds zeros.
__device__ unsigned int g_arrivals[kMaxImages];

__device__ double warp_sum(double v) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    v += __shfl_down_sync(0xffffffff, v, offset);
  return v;
}

__device__ double block_sum(double v) {
  static __shared__ double lane_totals[32];
  const int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
  v = warp_sum(v);
  if (lane == 0) lane_totals[wid] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / warpSize ? lane_totals[lane] : 0.0;
  if (wid == 0) v = warp_sum(v);
  return v;  // valid in thread 0
}

__global__ void sum_kernel(const float* __restrict__ x, volatile double* partial, float* out, int n) {
  const int image = blockIdx.y;
  const float* in = x + (size_t)image * n;
  double sum = 0.0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sum = block_sum(sum);

  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partial[image * gridDim.x + blockIdx.x] = sum;
    __threadfence();
    is_last = atomicInc(&g_arrivals[image], gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;

  double total = 0.0;
  for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) total += partial[image * gridDim.x + b];
  total = block_sum(total);
  if (threadIdx.x == 0) out[image] = static_cast<float>(total);
}

}  // namespace

torch::Tensor sum_images(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 3 && x.scalar_type() == torch::kFloat32);
  x = x.contiguous();
  c10::cuda::CUDAGuard guard(x.device());
  const int images = x.size(0), n = x.size(1) * x.size(2);
  TORCH_CHECK(images <= kMaxImages, "too many images");
  const int blocks = std::min(64, (n + kBlock * 4 - 1) / (kBlock * 4));
  auto out = torch::empty({images}, x.options());
  auto partial = torch::empty({images, blocks}, x.options().dtype(torch::kFloat64));
  sum_kernel<<<dim3(blocks, images), kBlock, 0, c10::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), partial.data_ptr<double>(), out.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""


class ModelNew(nn.Module):
    _ext = None

    def __init__(self):
        super().__init__()
        if ModelNew._ext is None:
            ModelNew._ext = load_inline(name="h04_total_sum_counter",
                                        cpp_sources="torch::Tensor sum_images(torch::Tensor x);",
                                        cuda_sources=code, functions=["sum_images"],
                                        extra_cuda_cflags=["-O2", "-lineinfo"])

    def forward(self, x):
        return self._ext.sum_images(x)
