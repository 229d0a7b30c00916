# task: row_cumsum
# expect: correct
# why: a running sum of each row: chunks of 1024 elements are scanned by warp shuffles and a scan of the warps' sums, and a carry in double goes from chunk to chunk
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
__global__ void scan(const float* x, float* y, int cols) {
  __shared__ float warp_sums[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  double carry = 0.0;
  for (int begin = 0; begin < cols; begin += blockDim.x) {
    int c = begin + threadIdx.x;
    float v = c < cols ? in[c] : 0.f;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
      float lower = __shfl_up_sync(0xffffffffu, v, o);
      if (lane >= o) v += lower;
    }
    if (lane == 31) warp_sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
      float s = lane < warps ? warp_sums[lane] : 0.f;
#pragma unroll
      for (int o = 1; o < 32; o <<= 1) {
        float lower = __shfl_up_sync(0xffffffffu, s, o);
        if (lane >= o) s += lower;
      }
      if (lane < warps) warp_sums[lane] = s;
    }
    __syncthreads();
    float before = warp > 0 ? warp_sums[warp - 1] : 0.f;
    if (c < cols) out[c] = (float)(carry + (double)(before + v));
    carry += warp_sums[warps - 1];
    __syncthreads();
  }
}
torch::Tensor row_cumsum(torch::Tensor x) {
  auto y = torch::empty_like(x);
  scan<<<x.size(0), 1024, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}
"""

cpp_source = """
torch::Tensor row_cumsum(torch::Tensor x);
"""

ext = load_inline(name="06_block_scan_with_carry", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['row_cumsum'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.row_cumsum(x.contiguous())
