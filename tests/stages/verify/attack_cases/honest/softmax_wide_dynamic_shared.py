# task: softmax_wide_h
# expect: correct
# why: style: whole row of 80 KB kept in dynamic shared memory that is opted in by cudaFuncSetAttribute after a
#      query of the device's limit; float4 loads; __ldg.
import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

_cpp = """
#include <torch/extension.h>
torch::Tensor wide_softmax(torch::Tensor x, double temperature);
"""

_cuda = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cmath>

template <bool kMax>
__device__ __forceinline__ float combine(float a, float b) {
  return kMax ? fmaxf(a, b) : a + b;
}

// Result in all threads. `scratch` holds 32 words.
template <bool kMax>
__device__ float block_all(float v, float* scratch) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  for (int d = 16; d > 0; d /= 2) v = combine<kMax>(v, __shfl_down_sync(0xffffffff, v, d));
  __syncthreads();  // scratch may still be read by an earlier call
  if (lane == 0) scratch[warp] = v;
  __syncthreads();
  float result = scratch[0];
  const int warps = blockDim.x / 32;
  for (int w = 1; w < warps; ++w) result = combine<kMax>(result, scratch[w]);
  return result;
}

__global__ __launch_bounds__(512) void wide_softmax_kernel(const float* __restrict__ x,
                                                           float* __restrict__ y, int cols,
                                                           float temperature) {
  extern __shared__ __align__(16) float row[];
  __shared__ float scratch[32];
  const long long base = static_cast<long long>(blockIdx.x) * cols;

  float top = -INFINITY;
  const bool vectors = cols % 4 == 0;
  if (vectors) {
    const float4* from = reinterpret_cast<const float4*>(x + base);
    float4* to = reinterpret_cast<float4*>(row);
    for (int i = threadIdx.x; i < cols / 4; i += blockDim.x) {
      float4 v = __ldg(from + i);
      v.x = v.x / temperature;
      v.y = v.y / temperature;
      v.z = v.z / temperature;
      v.w = v.w / temperature;
      to[i] = v;
      top = fmaxf(top, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
  } else {
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
      const float v = __ldg(x + base + i) / temperature;
      row[i] = v;
      top = fmaxf(top, v);
    }
  }
  top = block_all<true>(top, scratch);  // also a barrier: the row is complete

  float sum = 0.f;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    const float e = expf(row[i] - top);
    row[i] = e;
    sum += e;
  }
  sum = block_all<false>(sum, scratch);

  const float scale = 1.f / sum;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) y[base + i] = row[i] * scale;
}

torch::Tensor wide_softmax(torch::Tensor x, double temperature) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 2, "x must be a matrix on the GPU");
  auto in = x.contiguous();
  auto out = torch::empty(in.sizes(), in.options());
  const int rows = in.size(0), cols = in.size(1);
  const size_t bytes = sizeof(float) * cols;
  int device = 0, limit = 0;
  C10_CUDA_CHECK(cudaGetDevice(&device));
  C10_CUDA_CHECK(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  TORCH_CHECK(bytes + 256 <= static_cast<size_t>(limit), "a row of ", cols,
              " floats does not fit into shared memory of ", limit, " bytes");
  if (bytes > 40 * 1024) {
    C10_CUDA_CHECK(cudaFuncSetAttribute(wide_softmax_kernel,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(bytes)));
  }
  wide_softmax_kernel<<<rows, 512, bytes, at::cuda::getCurrentCUDAStream()>>>(
      in.data_ptr<float>(), out.data_ptr<float>(), cols, static_cast<float>(temperature));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

wide = load_inline("softmax_wide_dynamic", [_cpp], [_cuda], functions=["wide_softmax"])


class ModelNew(nn.Module):
    """softmax(x / temperature) over long rows."""

    def __init__(self, temperature):
        super().__init__()
        self.temperature = float(temperature)

    def forward(self, x):
        return wide.wide_softmax(x, self.temperature)
