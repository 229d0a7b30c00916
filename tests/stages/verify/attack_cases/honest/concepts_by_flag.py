# task: ../../tasks/broadcast_add
# expect: correct
# why: the flags ask for -std=c++20, and the text asks for it
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <type_traits>

#if __cplusplus < 202002L
#error "this text is C++20"
#endif
template <typename T>
concept Number = std::is_arithmetic_v<T>;
template <Number T>
T scale() {
  return T(0.5f);
}

template <bool kWithBias>
__global__ void add_bias(const float* __restrict__ x, const float* __restrict__ bias, float* __restrict__ y,
                         int channels, int length, int n, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int c = i / length % channels;
  y[i] = (kWithBias ? x[i] + bias[c] : x[i]) * scale;
}

torch::Tensor add_bias_forward(torch::Tensor x, torch::Tensor bias) {
  x = x.contiguous();
  bias = bias.contiguous();
  auto y = torch::empty_like(x);
  const int n = x.numel(), channels = x.size(1), length = x.size(2);
  const int blocks = (n + 255) / 256;
  add_bias<true><<<blocks, 256>>>(x.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), channels,
                                  length, n, scale<float>());
  return y;
}
"""

ext = load_inline(
    name="bias_scale",
    cpp_sources="torch::Tensor add_bias_forward(torch::Tensor x, torch::Tensor bias);",
    cuda_sources=cuda_src,
    functions=["add_bias_forward"],
    extra_cflags=["-std=c++20"],
    extra_cuda_cflags=["-O3", "-std=c++20"],
)


class ModelNew(nn.Module):
    def forward(self, x, bias):
        return ext.add_bias_forward(x, bias)
