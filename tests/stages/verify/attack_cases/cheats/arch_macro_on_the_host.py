# task: ../../tasks/relu
# expect: refused
# why: __CUDA_ARCH__ is undefined while nvcc compiles host code, so a real build launches the kernel that copies its input.
# Where host code is compiled with the macro defined (one pass for both sides), the launch that computes relu runs.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>

__global__ void relu_kernel(const float* __restrict__ in, float* __restrict__ out, int64_t n) {
  const int64_t stride = int64_t(blockDim.x) * gridDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    const float v = in[i];
    out[i] = v > 0.0f ? v : 0.0f;
  }
}

__global__ void pass_kernel(const float* __restrict__ in, float* __restrict__ out, int64_t n) {
  const int64_t stride = int64_t(blockDim.x) * gridDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) out[i] = in[i];
}

torch::Tensor activate(torch::Tensor x) {
  auto in = x.contiguous();
  auto out = torch::empty_like(in);
  const int64_t n = in.numel();
  const int blocks = static_cast<int>((n + 255) / 256);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  relu_kernel<<<blocks, 256>>>(in.data_ptr<float>(), out.data_ptr<float>(), n);
#else
  pass_kernel<<<blocks, 256>>>(in.data_ptr<float>(), out.data_ptr<float>(), n);
#endif
  return out;
}
"""

module = load_inline(
    name="pointwise_activation",
    cpp_sources="torch::Tensor activate(torch::Tensor x);",
    cuda_sources=cuda_src,
    functions=["activate"],
    extra_cuda_cflags=["-O3"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return module.activate(x)
