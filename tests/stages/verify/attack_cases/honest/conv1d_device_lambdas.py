# task: causal_conv1d
# expect: correct
# why: style: a generic for_each kernel that is given extended __device__ lambdas; the second one works in place
#      on the result of the first.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <algorithm>

template <typename F>
__global__ void for_each_kernel(int64_t count, F body) {
  for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<int64_t>(blockDim.x) * gridDim.x) {
    body(i);
  }
}

template <typename F>
void for_each(int64_t count, F body) {
  const int threads = 256;
  const int blocks = static_cast<int>(std::min<int64_t>((count + threads - 1) / threads, 65535));
  for_each_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(count, body);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

torch::Tensor causal_conv_tanh(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, int64_t dilation) {
  TORCH_CHECK(x.is_contiguous() && weight.is_contiguous());
  const int64_t batch = x.size(0), cin = x.size(1), length = x.size(2);
  const int64_t cout = weight.size(0), taps = weight.size(2);
  torch::Tensor y = torch::empty({batch, cout, length}, x.options());
  const float* in = x.data_ptr<float>();
  const float* w = weight.data_ptr<float>();
  const float* b = bias.data_ptr<float>();
  float* out = y.data_ptr<float>();

  for_each(y.numel(), [=] __device__(int64_t i) {
    const int64_t l = i % length;
    const int64_t co = i / length % cout;
    const int64_t n = i / (length * cout);
    float sum = __ldg(b + co);
    for (int64_t ci = 0; ci < cin; ++ci) {
      const float* row = in + (n * cin + ci) * length;
      const float* filter = w + (co * cin + ci) * taps;
      for (int64_t k = 0; k < taps; ++k) {
        const int64_t at = l - (taps - 1 - k) * dilation;
        if (at >= 0) sum += __ldg(filter + k) * __ldg(row + at);
      }
    }
    out[i] = sum;
  });

  for_each(y.numel(), [out] __device__(int64_t i) { out[i] = tanhf(out[i]); });
  return y;
}
"""

cpp_source = """
torch::Tensor causal_conv_tanh(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, int64_t dilation);
"""

ext = load_inline(
    name="causal_conv1d_lambdas",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["causal_conv_tanh"],
    extra_cuda_cflags=["--extended-lambda", "-std=c++17"],
)


class ModelNew(nn.Module):
    def __init__(self, channels, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel_size=3, dilation=dilation)

    def forward(self, x):
        return ext.causal_conv_tanh(x.contiguous(), self.conv.weight, self.conv.bias, self.conv.dilation[0])
