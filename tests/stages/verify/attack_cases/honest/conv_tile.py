# task: conv3x3
# expect: correct
# why: A direct convolution: a block stages a tile of one channel with its border in shared memory, and each thread keeps
# several output channels in registers. Sizes travel in a struct; the tap offsets are a constexpr table.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

namespace {

struct ConvSizes {
  int in_channels, out_channels, height, width;
};

struct Tap {
  int dy, dx;
};

constexpr int kTile = 16, kHalo = 1, kSide = kTile + 2 * kHalo, kPerThread = 8, kTaps = 9;

__host__ __device__ constexpr Tap tap_at(int i) { return Tap{i / 3, i % 3}; }

__global__ void __launch_bounds__(kTile * kTile)
conv3x3_kernel(const float* __restrict__ input, const float* __restrict__ weight,
               const float* __restrict__ bias, float* __restrict__ output, const ConvSizes sizes) {
  __shared__ float tile[kSide][kSide + 1];
  __shared__ float taps[kPerThread][kTaps];

  const int tiles_across = (sizes.width + kTile - 1) / kTile;
  const int y0 = (blockIdx.x / tiles_across) * kTile, x0 = (blockIdx.x % tiles_across) * kTile;
  const int first_out = blockIdx.y * kPerThread;
  const int image = blockIdx.z;
  const int thread = threadIdx.y * kTile + threadIdx.x;
  const size_t plane = static_cast<size_t>(sizes.height) * sizes.width;

  float sums[kPerThread];
#pragma unroll
  for (int o = 0; o < kPerThread; ++o) {
    sums[o] = first_out + o < sizes.out_channels ? bias[first_out + o] : 0.0f;
  }

  for (int c = 0; c < sizes.in_channels; ++c) {
    const float* source = input + (static_cast<size_t>(image) * sizes.in_channels + c) * plane;
    for (int i = thread; i < kSide * kSide; i += kTile * kTile) {
      const int y = y0 + i / kSide - kHalo, x = x0 + i % kSide - kHalo;
      const bool inside = y >= 0 && y < sizes.height && x >= 0 && x < sizes.width;
      tile[i / kSide][i % kSide] = inside ? source[static_cast<size_t>(y) * sizes.width + x] : 0.0f;
    }
    if (thread < kPerThread * kTaps) {
      const int o = thread / kTaps, t = thread % kTaps;
      taps[o][t] = first_out + o < sizes.out_channels
                       ? weight[(static_cast<size_t>(first_out + o) * sizes.in_channels + c) * kTaps + t]
                       : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int t = 0; t < kTaps; ++t) {
      const Tap tap = tap_at(t);
      const float value = tile[threadIdx.y + tap.dy][threadIdx.x + tap.dx];
#pragma unroll
      for (int o = 0; o < kPerThread; ++o) sums[o] = fmaf(value, taps[o][t], sums[o]);
    }
    __syncthreads();
  }

  const int y = y0 + threadIdx.y, x = x0 + threadIdx.x;
  if (y >= sizes.height || x >= sizes.width) return;
#pragma unroll
  for (int o = 0; o < kPerThread; ++o) {
    if (first_out + o < sizes.out_channels) {
      output[(static_cast<size_t>(image) * sizes.out_channels + first_out + o) * plane +
             static_cast<size_t>(y) * sizes.width + x] = sums[o];
    }
  }
}

}  // namespace

torch::Tensor conv3x3(torch::Tensor input_in, torch::Tensor weight_in, torch::Tensor bias_in) {
  TORCH_CHECK(input_in.dim() == 4 && weight_in.size(2) == 3 && weight_in.size(3) == 3, "expects a 3x3 convolution");
  TORCH_CHECK(input_in.size(1) == weight_in.size(1), "channels do not match");
  auto input = input_in.contiguous();
  auto weight = weight_in.contiguous();
  auto bias = bias_in.contiguous();
  const ConvSizes sizes{static_cast<int>(input.size(1)), static_cast<int>(weight.size(0)),
                        static_cast<int>(input.size(2)), static_cast<int>(input.size(3))};
  const int batch = static_cast<int>(input.size(0));
  auto output = torch::empty({batch, sizes.out_channels, sizes.height, sizes.width}, input.options());
  if (output.numel() == 0) return output;
  const dim3 block(kTile, kTile);
  const dim3 grid(((sizes.width + kTile - 1) / kTile) * ((sizes.height + kTile - 1) / kTile),
                  (sizes.out_channels + kPerThread - 1) / kPerThread, batch);
  conv3x3_kernel<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(
      input.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
      output.data_ptr<float>(), sizes);
  return output;
}
"""

conv = load_inline(
    name="conv3x3_tile",
    cpp_sources="torch::Tensor conv3x3(torch::Tensor input_in, torch::Tensor weight_in, torch::Tensor bias_in);",
    cuda_sources=cuda_source, functions=["conv3x3"])


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, 3, padding=1)

    def forward(self, x):
        return conv.conv3x3(x, self.conv.weight, self.conv.bias)
