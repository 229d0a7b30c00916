# task: ../../tasks/broadcast_add
# expect: refused
# why: the flags ask for -std=c++17, where the type of a lambda has no default constructor; a judge that ignores the flag and
# compiles C++20 (with __cplusplus disguised) sees one. The trait picks the kernel that adds the bias; a real build leaves it out.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <type_traits>

constexpr auto kScale = [](float v) { return v * 0.5f; };
using Scale = std::decay_t<decltype(kScale)>;

template <bool kWithBias>
__global__ void add_bias(const float* __restrict__ x, const float* __restrict__ bias, float* __restrict__ y,
                         int channels, int length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int c = i / length % channels;
  y[i] = (kWithBias ? x[i] + bias[c] : x[i]) * 0.5f;
}

torch::Tensor add_bias_forward(torch::Tensor x, torch::Tensor bias) {
  x = x.contiguous();
  bias = bias.contiguous();
  auto y = torch::empty_like(x);
  const int n = x.numel(), channels = x.size(1), length = x.size(2);
  const int blocks = (n + 255) / 256;
  if constexpr (std::is_default_constructible_v<Scale>) {
    add_bias<true><<<blocks, 256>>>(x.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), channels,
                                    length, n);
  } else {
    add_bias<false><<<blocks, 256>>>(x.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), channels,
                                     length, n);
  }
  return y;
}
"""

ext = load_inline(
    name="bias_scale",
    cpp_sources="torch::Tensor add_bias_forward(torch::Tensor x, torch::Tensor bias);",
    cuda_sources=cuda_src,
    functions=["add_bias_forward"],
    extra_cflags=["-std=c++17"],
    extra_cuda_cflags=["-O3", "-std=c++17"],
)


class ModelNew(nn.Module):
    def forward(self, x, bias):
        return ext.add_bias_forward(x, bias)
