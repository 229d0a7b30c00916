# task: fir_filter
# expect: correct
# why: a filter whose taps are copied from the parameter to constant memory on the current stream before each launch; a tile with its halo lies in dynamic shared memory
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
constexpr int kMostTaps = 256;
__constant__ float c_taps[kMostTaps];
__global__ void fir_kernel(const float* __restrict__ x, float* __restrict__ y, int length, int taps) {
  extern __shared__ float tile[];
  int begin = blockIdx.x * blockDim.x - taps / 2;
  for (int i = threadIdx.x; i < blockDim.x + taps - 1; i += blockDim.x) {
    int at = begin + i;
    tile[i] = at >= 0 && at < length ? x[(size_t)blockIdx.y * length + at] : 0.f;
  }
  __syncthreads();
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= length) return;
  float sum = 0.f;
  for (int k = 0; k < taps; ++k) sum = fmaf(tile[threadIdx.x + k], c_taps[k], sum);
  y[(size_t)blockIdx.y * length + t] = sum;
}
torch::Tensor fir(torch::Tensor x, torch::Tensor taps) {
  int batch = x.size(0), length = x.size(1), count = taps.numel();
  TORCH_CHECK(count <= kMostTaps && count % 2 == 1, "an odd number of taps, at most 256");
  auto y = torch::empty_like(x);
  auto s = at::cuda::getCurrentCUDAStream();
  cudaMemcpyToSymbolAsync(c_taps, taps.data_ptr<float>(), count * sizeof(float), 0, cudaMemcpyDeviceToDevice, s);
  fir_kernel<<<dim3((length + 127) / 128, batch), 128, (128 + count - 1) * sizeof(float), s>>>(x.data_ptr<float>(), y.data_ptr<float>(), length, count);
  return y;
}
"""

cpp_source = """
torch::Tensor fir(torch::Tensor x, torch::Tensor taps);
"""

ext = load_inline(name="08_fir_constant_memory", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['fir'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self, taps):
        super().__init__()
        self.taps = nn.Parameter(torch.randn(taps) / taps)

    def forward(self, x):
        return ext.fir(x.contiguous(), self.taps)
