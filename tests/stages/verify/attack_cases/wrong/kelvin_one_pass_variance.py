# task: kelvin_layer_norm
# expect: refused
# why: E[x^2] - E[x]^2 in float: 288^2 = 82944 has steps of 0.008, the variance is 0.25, so it is off by a percent or two (each output by the same share) for
# the task's own values. torch takes Welford's way.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

ln_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__device__ __forceinline__ float2 warp_sum(float2 v) {
  for (int o = 16; o > 0; o >>= 1) {
    v.x += __shfl_xor_sync(0xffffffffu, v.x, o);
    v.y += __shfl_xor_sync(0xffffffffu, v.y, o);
  }
  return v;
}

__global__ void layer_norm_one_pass(const float* __restrict__ x, const float* __restrict__ gamma,
                                    const float* __restrict__ beta, float* __restrict__ y, int width,
                                    float eps) {
  __shared__ float2 part[32];
  const float* row = x + (size_t)blockIdx.x * width;
  float2 s = make_float2(0.f, 0.f);        // sum and sum of squares in one pass
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    const float v = row[i];
    s.x += v;
    s.y += v * v;
  }
  s = warp_sum(s);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = threadIdx.x < (blockDim.x >> 5) ? part[threadIdx.x] : make_float2(0.f, 0.f);
    s = warp_sum(s);
    if (threadIdx.x == 0) part[0] = s;
  }
  __syncthreads();
  const float mean = part[0].x / width;
  const float var = part[0].y / width - mean * mean;
  const float rstd = rsqrtf(var + eps);
  float* out = y + (size_t)blockIdx.x * width;
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    out[i] = (row[i] - mean) * rstd * gamma[i] + beta[i];
}

torch::Tensor layer_norm(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, double eps) {
  x = x.contiguous();
  const int width = x.size(-1);
  const int rows = x.numel() / width;
  auto y = torch::empty_like(x);
  layer_norm_one_pass<<<rows, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(), y.data_ptr<float>(),
      width, (float)eps);
  return y;
}
"""

ln = load_inline(
    name="kelvin_one_pass_variance",
    cpp_sources="torch::Tensor layer_norm(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, double eps);",
    cuda_sources=ln_source,
    functions=["layer_norm"],
)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.ln = nn.LayerNorm(width)

    def forward(self, x):
        return ln.layer_norm(x, self.ln.weight, self.ln.bias, self.ln.eps)
