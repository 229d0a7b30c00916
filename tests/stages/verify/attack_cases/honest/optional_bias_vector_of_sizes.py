# task: dilated_conv1d
# expect: correct
# why: style: a function that takes c10::optional<at::Tensor> and std::vector<int64_t>, dynamic shared memory for the
#      weights of a group of output channels with cudaFuncSetAttribute when they need more than 48 KB, if
#      constexpr on whether there is a bias.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/util/Optional.h>
#include <vector>

constexpr int kThreads = 128;
constexpr int kGroup = 8;  // Output channels of a block.

template <bool kHasBias>
__global__ void conv1d_kernel(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ bias,
                              float* __restrict__ y, int c_in, int c_out, int l_in, int l_out, int kernel, int stride,
                              int pad, int dilation) {
  extern __shared__ float s_w[];  // [group][c_in * kernel]
  const int taps = c_in * kernel;
  const int first = blockIdx.y * kGroup;
  const int count = min(kGroup, c_out - first);
  for (int i = threadIdx.x; i < count * taps; i += kThreads) s_w[i] = w[first * taps + i];
  __syncthreads();

  const int o = blockIdx.x * kThreads + threadIdx.x;
  if (o >= l_out) return;
  float acc[kGroup];
#pragma unroll
  for (int g = 0; g < kGroup; ++g) {
    if constexpr (kHasBias) {
      acc[g] = g < count ? bias[first + g] : 0.f;
    } else {
      acc[g] = 0.f;
    }
  }
  const float* in = x + static_cast<int64_t>(blockIdx.z) * c_in * l_in;
  for (int c = 0; c < c_in; ++c) {
    for (int k = 0; k < kernel; ++k) {
      const int i = o * stride - pad + k * dilation;
      if (i < 0 || i >= l_in) continue;
      const float v = __ldg(in + c * l_in + i);
#pragma unroll
      for (int g = 0; g < kGroup; ++g) {
        if (g < count) acc[g] = fmaf(v, s_w[g * taps + c * kernel + k], acc[g]);
      }
    }
  }
  for (int g = 0; g < count; ++g) {
    y[(static_cast<int64_t>(blockIdx.z) * c_out + first + g) * l_out + o] = acc[g];
  }
}

at::Tensor conv1d(const at::Tensor& x, const at::Tensor& w, const c10::optional<at::Tensor>& bias,
                  std::vector<int64_t> stride, std::vector<int64_t> padding, std::vector<int64_t> dilation) {
  TORCH_CHECK(stride.size() == 1 && padding.size() == 1 && dilation.size() == 1, "one size each");
  const int batch = x.size(0), c_in = x.size(1), l_in = x.size(2), c_out = w.size(0), kernel = w.size(2);
  const int l_out = (l_in + 2 * padding[0] - dilation[0] * (kernel - 1) - 1) / stride[0] + 1;
  auto y = at::empty({batch, c_out, l_out}, x.options());
  const size_t shared = sizeof(float) * kGroup * c_in * kernel;
  const dim3 grid((l_out + kThreads - 1) / kThreads, (c_out + kGroup - 1) / kGroup, batch);
  const bool has_bias = bias.has_value() && bias->defined();
  auto launch = [&](auto kernel_function, const float* bias_ptr) {
    if (shared > 48 * 1024) {
      C10_CUDA_CHECK(cudaFuncSetAttribute(kernel_function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          static_cast<int>(shared)));
    }
    kernel_function<<<grid, kThreads, shared, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), w.data_ptr<float>(), bias_ptr, y.data_ptr<float>(), c_in, c_out, l_in, l_out, kernel,
        static_cast<int>(stride[0]), static_cast<int>(padding[0]), static_cast<int>(dilation[0]));
  };
  if (has_bias) {
    launch(conv1d_kernel<true>, bias->data_ptr<float>());
  } else {
    launch(conv1d_kernel<false>, nullptr);
  }
  C10_CUDA_CHECK(cudaGetLastError());
  return y;
}
"""

cpp_source = """
#include <vector>
at::Tensor conv1d(const at::Tensor& x, const at::Tensor& w, const c10::optional<at::Tensor>& bias,
                  std::vector<int64_t> stride, std::vector<int64_t> padding, std::vector<int64_t> dilation);
"""

ops = load_inline(name="conv1d_optional_bias", cpp_sources=cpp_source, cuda_sources=cuda_source, functions=["conv1d"],
                  extra_cuda_cflags=["-std=c++17"])


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, padding, dilation):
        super().__init__()
        self.conv = nn.Conv1d(in_channels, out_channels, kernel_size, padding=padding, dilation=dilation, bias=False)

    def forward(self, x):
        conv = self.conv
        return ops.conv1d(x.contiguous(), conv.weight, conv.bias, list(conv.stride), list(conv.padding), list(conv.dilation))
