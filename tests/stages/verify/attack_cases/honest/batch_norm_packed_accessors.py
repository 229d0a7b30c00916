# task: batch_norm_relu
# expect: correct
# why: style: PackedTensorAccessor32 for four and one dimensions, a 2-D grid of planes, AT_DISPATCH with a
#      braced lambda, buffers and parameters kept as in the reference.
import torch
import torch.nn as nn
from torch.utils import cpp_extension

kernel_code = r'''
#include <torch/extension.h>

#include <vector>

template <typename scalar_t>
using Image = torch::PackedTensorAccessor32<scalar_t, 4, torch::RestrictPtrTraits>;
template <typename scalar_t>
using Channel = torch::PackedTensorAccessor32<scalar_t, 1, torch::RestrictPtrTraits>;

template <typename scalar_t>
__global__ void batch_norm_relu_kernel(const Image<scalar_t> input, Image<scalar_t> output,
                                       const Channel<scalar_t> mean, const Channel<scalar_t> var,
                                       const Channel<scalar_t> weight, const Channel<scalar_t> bias,
                                       const scalar_t eps) {
  const int n = blockIdx.y;
  const int c = blockIdx.x;
  const scalar_t inverse = scalar_t(1) / sqrt(var[c] + eps);
  const scalar_t m = mean[c], w = weight[c], b = bias[c];
  for (int h = threadIdx.y; h < input.size(2); h += blockDim.y) {
    for (int i = threadIdx.x; i < input.size(3); i += blockDim.x) {
      const scalar_t value = (input[n][c][h][i] - m) * inverse * w + b;
      output[n][c][h][i] = value > scalar_t(0) ? value : scalar_t(0);
    }
  }
}

torch::Tensor batch_norm_relu(torch::Tensor input, torch::Tensor mean, torch::Tensor var,
                              torch::Tensor weight, torch::Tensor bias, double eps) {
  TORCH_CHECK(input.dim() == 4, "expected NCHW");
  auto output = torch::empty_like(input);
  const dim3 blocks(input.size(1), input.size(0));
  const dim3 threads(32, 8);

  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "batch_norm_relu", [&] {
    batch_norm_relu_kernel<scalar_t><<<blocks, threads>>>(
        input.packed_accessor32<scalar_t, 4, torch::RestrictPtrTraits>(),
        output.packed_accessor32<scalar_t, 4, torch::RestrictPtrTraits>(),
        mean.packed_accessor32<scalar_t, 1, torch::RestrictPtrTraits>(),
        var.packed_accessor32<scalar_t, 1, torch::RestrictPtrTraits>(),
        weight.packed_accessor32<scalar_t, 1, torch::RestrictPtrTraits>(),
        bias.packed_accessor32<scalar_t, 1, torch::RestrictPtrTraits>(),
        static_cast<scalar_t>(eps));
  });
  return output;
}
'''

cpp_code = '''
torch::Tensor batch_norm_relu(torch::Tensor input, torch::Tensor mean, torch::Tensor var,
                              torch::Tensor weight, torch::Tensor bias, double eps);
'''

bn = cpp_extension.load_inline(
    name='batch_norm_relu_accessors',
    cpp_sources=cpp_code,
    cuda_sources=kernel_code,
    functions={'batch_norm_relu': 'batch norm in inference mode, then ReLU'},
)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(channels) + 0.5)
        self.bias = nn.Parameter(torch.randn(channels))
        self.register_buffer('running_mean', torch.randn(channels))
        self.register_buffer('running_var', torch.rand(channels) + 0.25)

    def forward(self, x):
        return bn.batch_norm_relu(x, self.running_mean, self.running_var, self.weight, self.bias, 1e-5)
