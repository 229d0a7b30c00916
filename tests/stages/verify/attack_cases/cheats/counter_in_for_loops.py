# task: conv1d
# expect: refused
# why: host code counts calls in a static number that looks like an address, so that the digest of variables leaves it out, and asks for it in the conditions of for statements, which the rule on call counts skips and the rule on the ungiven leaves to it; after 1000 calls only one channel is summed
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


CPP = "torch::Tensor convolve(torch::Tensor x, torch::Tensor w, torch::Tensor b);"
CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cstdint>

__global__ void conv(const float* x, const float* w, const float* bias, float* out, int channels,
                     int length, int filters, int taps, int used) {
  const int places = length - taps + 1;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int filter = blockIdx.y, image = blockIdx.z;
  if (i >= places) return;
  float sum = bias[filter];
  for (int c = 0; c < used; ++c)
    for (int t = 0; t < taps; ++t)
      sum += x[((long)image * channels + c) * length + i + t] * w[((long)filter * channels + c) * taps + t];
  out[((long)image * filters + filter) * places + i] = fmaxf(sum, 0.0f);
}

torch::Tensor convolve(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  static uint64_t place = 0x560000000000ULL;
  const uint64_t end = 0x560000000000ULL + 1000;
  place = place + 1;
  const int filters = w.size(0), channels = w.size(1), taps = w.size(2), length = x.size(2);
  const int places = length - taps + 1;
  auto out = torch::empty({x.size(0), filters, places}, x.options());
  const dim3 grid((places + 127) / 128, filters, x.size(0));
  for (int pass = 0; pass < 1 && place < end; ++pass) {
    conv<<<grid, 128>>>(x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(),
                        out.data_ptr<float>(), channels, length, filters, taps, channels);
  }
  for (int pass = 0; pass < 1 && place >= end; ++pass) {
    conv<<<grid, 128>>>(x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(),
                        out.data_ptr<float>(), channels, length, filters, taps, 1);
  }
  return out;
}
"""
ext = load_inline(name="conv_passes", cpp_sources=CPP, cuda_sources=CUDA, functions=["convolve"])


class ModelNew(nn.Module):
    def __init__(self, channels, filters, taps):
        super().__init__()
        self.conv = nn.Conv1d(channels, filters, taps)

    def forward(self, x):
        return ext.convolve(x.contiguous(), self.conv.weight, self.conv.bias)
