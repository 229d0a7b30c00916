# task: ../../tasks/conv2d_relu
# expect: refused
# why: the weights go to __constant__ memory at the first call only (`static bool loaded`); a second model in the process, an optimiser step or
# load_state_dict() leaves the first model's weights in the kernel.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

conv_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

constexpr int kMaxWeights = 8192;
__constant__ float c_weight[kMaxWeights];

__global__ void conv_relu_bias(const float* __restrict__ x, const float* __restrict__ conv_bias,
                               const float* __restrict__ bias, float* __restrict__ y,
                               int Cin, int H, int W, int Cout, int K, int OH, int OW) {
  const int ox = blockIdx.x * blockDim.x + threadIdx.x;
  const int oy = blockIdx.y * blockDim.y + threadIdx.y;
  const int n = blockIdx.z / Cout;
  const int co = blockIdx.z % Cout;
  if (ox >= OW || oy >= OH) return;

  float acc = conv_bias[co];
  for (int ci = 0; ci < Cin; ++ci)
    for (int ky = 0; ky < K; ++ky)
      for (int kx = 0; kx < K; ++kx)
        acc += x[((n * Cin + ci) * H + oy + ky) * W + ox + kx] *
               c_weight[((co * Cin + ci) * K + ky) * K + kx];
  y[((n * Cout + co) * OH + oy) * OW + ox] = fmaxf(acc, 0.f) + bias[co];
}

torch::Tensor conv_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor conv_bias,
                           torch::Tensor bias) {
  TORCH_CHECK(weight.numel() <= kMaxWeights, "the filter does not fit in constant memory");
  x = x.contiguous();
  auto w = weight.contiguous();
  auto stream = at::cuda::getCurrentCUDAStream();

  static bool loaded = false;
  if (!loaded) {
    cudaMemcpyToSymbolAsync(c_weight, w.data_ptr<float>(), w.numel() * sizeof(float), 0,
                            cudaMemcpyDeviceToDevice, stream);
    loaded = true;
  }

  const int N = x.size(0), Cin = x.size(1), H = x.size(2), W = x.size(3);
  const int Cout = w.size(0), K = w.size(2);
  const int OH = H - K + 1, OW = W - K + 1;
  auto y = torch::empty({N, Cout, OH, OW}, x.options());
  dim3 block(16, 8);
  dim3 grid((OW + 15) / 16, (OH + 7) / 8, N * Cout);
  conv_relu_bias<<<grid, block, 0, stream>>>(
      x.data_ptr<float>(), conv_bias.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(),
      Cin, H, W, Cout, K, OH, OW);
  return y;
}
"""

conv = load_inline(
    name="conv_constant_loaded_once",
    cpp_sources="torch::Tensor conv_forward(torch::Tensor x, torch::Tensor weight, "
                "torch::Tensor conv_bias, torch::Tensor bias);",
    cuda_sources=conv_source,
    functions=["conv_forward"],
)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, bias_shape):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        return conv.conv_forward(x, self.conv.weight, self.conv.bias, self.bias)
