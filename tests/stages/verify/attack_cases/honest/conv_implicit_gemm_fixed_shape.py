# task: conv_bias_relu
# expect: correct
# why: style: implicit GEMM specialised for one shape by constexpr sizes, which TORCH_CHECK and static_assert
#      guard; a __constant__ table of taps with an initialiser; parameters created by hand as nn.Conv2d does.
import math

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SIZES = dict(kN=4, kCin=16, kCout=32, kH=32, kW=32)

HEADER = "\n".join(f"constexpr int {name} = {value};" for name, value in SIZES.items())

BODY = r"""
constexpr int kTaps = 9;
constexpr int kInner = kCin * kTaps;
constexpr int kPlane = kH * kW;
constexpr int kPixels = 64;    // of a block
constexpr int kStep = 16;      // of the inner dimension
constexpr int kThreads = 128;

static_assert(kPlane % kPixels == 0, "a block stays in one image");
static_assert(kInner % kStep == 0, "whole steps");
static_assert(kPixels / 4 * (kCout / 4) == kThreads, "four pixels by four channels a thread");

__constant__ int kRowOfTap[kTaps] = {-1, -1, -1, 0, 0, 0, 1, 1, 1};
__constant__ int kColOfTap[kTaps] = {-1, 0, 1, -1, 0, 1, -1, 0, 1};

__global__ void __launch_bounds__(kThreads)
conv_gemm(const float* __restrict__ x, const float* __restrict__ weight, const float* __restrict__ bias,
          float* __restrict__ y) {
  __shared__ __align__(16) float patch[kStep][kPixels];
  __shared__ float filter[kStep][kCout + 1];

  const int tid = threadIdx.x;
  const int image = blockIdx.x / (kPlane / kPixels);
  const int pixel0 = blockIdx.x % (kPlane / kPixels) * kPixels;
  const int tp = tid % (kPixels / 4) * 4;
  const int tc = tid / (kPixels / 4) * 4;
  const float* source = x + image * kCin * kPlane;

  float acc[4][4];
#pragma unroll
  for (int c = 0; c < 4; ++c)
#pragma unroll
    for (int p = 0; p < 4; ++p) acc[c][p] = 0.f;

  for (int k0 = 0; k0 < kInner; k0 += kStep) {
    for (int i = tid; i < kStep * kPixels; i += kThreads) {
      const int k = k0 + i / kPixels;
      const int pixel = pixel0 + i % kPixels;
      const int r = pixel / kW + kRowOfTap[k % kTaps];
      const int s = pixel % kW + kColOfTap[k % kTaps];
      const bool inside = r >= 0 && r < kH && s >= 0 && s < kW;
      patch[i / kPixels][i % kPixels] = inside ? source[k / kTaps * kPlane + r * kW + s] : 0.f;
    }
    for (int i = tid; i < kCout * kStep; i += kThreads) {
      filter[i % kStep][i / kStep] = weight[i / kStep * kInner + k0 + i % kStep];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kStep; ++k) {
      const float4 v = *reinterpret_cast<const float4*>(&patch[k][tp]);
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const float f = filter[k][tc + c];
        acc[c][0] += f * v.x;
        acc[c][1] += f * v.y;
        acc[c][2] += f * v.z;
        acc[c][3] += f * v.w;
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int c = 0; c < 4; ++c) {
    const float b = bias[tc + c];
    const float4 result = make_float4(fmaxf(acc[c][0] + b, 0.f), fmaxf(acc[c][1] + b, 0.f),
                                      fmaxf(acc[c][2] + b, 0.f), fmaxf(acc[c][3] + b, 0.f));
    float* to = y + (image * kCout + tc + c) * kPlane + pixel0 + tp;
    *reinterpret_cast<float4*>(to) = result;
  }
}

torch::Tensor conv_gemm_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  TORCH_CHECK(x.sizes() == c10::IntArrayRef({kN, kCin, kH, kW}), "built for one shape, got ", x.sizes());
  TORCH_CHECK(weight.sizes() == c10::IntArrayRef({kCout, kCin, 3, 3}), "built for one shape of weights");
  TORCH_CHECK(x.is_contiguous() && weight.is_contiguous() && bias.is_contiguous());
  auto y = torch::empty({kN, kCout, kH, kW}, x.options());
  conv_gemm<<<kN * kPlane / kPixels, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

INCLUDES = """
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>
"""

conv = load_inline(
    name="conv_implicit_gemm_fixed",
    cpp_sources="torch::Tensor conv_gemm_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);",
    cuda_sources=[INCLUDES + HEADER + BODY],
    functions=["conv_gemm_forward"],
)


class Weights(nn.Module):
    """The parameters of nn.Conv2d(cin, cout, 3), drawn in the same order."""

    def __init__(self, cin, cout):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(cout, cin, 3, 3))
        self.bias = nn.Parameter(torch.empty(cout))
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        bound = 1 / math.sqrt(cin * 9)
        nn.init.uniform_(self.bias, -bound, bound)


class ModelNew(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        assert (cin, cout) == (SIZES["kCin"], SIZES["kCout"]), "built for other channels"
        self.conv = Weights(cin, cout)

    def forward(self, x):
        return conv.conv_gemm_forward(x.contiguous(), self.conv.weight, self.conv.bias)
