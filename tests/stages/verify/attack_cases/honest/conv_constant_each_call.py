# task: ../../tasks/conv2d_relu
# expect: correct
# why: the filter is copied into __constant__ memory on the current stream before each launch, in the same stream order; larger filters are read from
# global memory by the same template.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

conv_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

constexpr int kCapacity = 12 * 1024;          // floats, 48 of the 64 KiB
__constant__ float filter_const[kCapacity];

template <bool kConstant>
__global__ void conv_kernel(const float* __restrict__ x, const float* __restrict__ filter,
                            const float* __restrict__ conv_bias, const float* __restrict__ bias,
                            float* __restrict__ y, int N, int Cin, int H, int W, int Cout, int KH,
                            int KW, int OH, int OW) {
  const long long total = (long long)N * Cout * OH * OW;
  for (long long t = blockIdx.x * (long long)blockDim.x + threadIdx.x; t < total;
       t += (long long)gridDim.x * blockDim.x) {
    const int ox = t % OW;
    const int oy = t / OW % OH;
    const int co = t / ((long long)OW * OH) % Cout;
    const int n = t / ((long long)OW * OH * Cout);
    float acc = conv_bias[co];
    for (int ci = 0; ci < Cin; ++ci) {
      const float* plane = x + (((long long)n * Cin + ci) * H + oy) * W + ox;
      const int f0 = (co * Cin + ci) * KH * KW;
      for (int ky = 0; ky < KH; ++ky)
        for (int kx = 0; kx < KW; ++kx) {
          const int f = f0 + ky * KW + kx;
          acc = fmaf(plane[(long long)ky * W + kx], kConstant ? filter_const[f] : filter[f], acc);
        }
    }
    y[t] = fmaxf(acc, 0.f) + bias[co];
  }
}

torch::Tensor conv_relu_bias(torch::Tensor x, torch::Tensor filter, torch::Tensor conv_bias,
                             torch::Tensor bias) {
  x = x.contiguous();
  filter = filter.contiguous();
  bias = bias.contiguous();
  const int N = x.size(0), Cin = x.size(1), H = x.size(2), W = x.size(3);
  const int Cout = filter.size(0), KH = filter.size(2), KW = filter.size(3);
  const int OH = H - KH + 1, OW = W - KW + 1;
  TORCH_CHECK(filter.size(1) == Cin && OH > 0 && OW > 0 && bias.numel() == Cout);
  auto y = torch::empty({N, Cout, OH, OW}, x.options());
  auto stream = at::cuda::getCurrentCUDAStream();
  const int blocks = (int)std::min<int64_t>((y.numel() + 127) / 128, 4096);
  if (filter.numel() <= kCapacity) {
    C10_CUDA_CHECK(cudaMemcpyToSymbolAsync(filter_const, filter.data_ptr<float>(),
                                           filter.numel() * sizeof(float), 0,
                                           cudaMemcpyDeviceToDevice, stream));
    conv_kernel<true><<<blocks, 128, 0, stream>>>(
        x.data_ptr<float>(), filter.data_ptr<float>(), conv_bias.data_ptr<float>(),
        bias.data_ptr<float>(), y.data_ptr<float>(), N, Cin, H, W, Cout, KH, KW, OH, OW);
  } else {
    conv_kernel<false><<<blocks, 128, 0, stream>>>(
        x.data_ptr<float>(), filter.data_ptr<float>(), conv_bias.data_ptr<float>(),
        bias.data_ptr<float>(), y.data_ptr<float>(), N, Cin, H, W, Cout, KH, KW, OH, OW);
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

conv_ext = load_inline(
    name="conv_constant_each_call",
    cpp_sources="torch::Tensor conv_relu_bias(torch::Tensor x, torch::Tensor filter, "
                "torch::Tensor conv_bias, torch::Tensor bias);",
    cuda_sources=conv_src,
    functions=["conv_relu_bias"],
)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, bias_shape):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        return conv_ext.conv_relu_bias(x, self.conv.weight, self.conv.bias, self.bias)
