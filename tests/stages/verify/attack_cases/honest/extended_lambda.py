# task: mish
# expect: correct
# why: a generic elementwise kernel gets the function as a __device__ lambda; the length is no multiple of the block
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

template <typename F, typename... In>
__global__ void map_kernel(int n, float* __restrict__ out, F f, const In*... in) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) out[i] = f(in[i]...);
}

template <typename F, typename... Tensors>
torch::Tensor map(F f, const torch::Tensor& first, const Tensors&... rest) {
  torch::Tensor out = torch::empty_like(first);
  const int n = static_cast<int>(first.numel());
  if (n == 0) return out;
  const int blocks = std::min((n + 255) / 256, 2048);
  map_kernel<<<blocks, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      n, out.template data_ptr<float>(), f, first.template data_ptr<float>(), rest.template data_ptr<float>()...);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

torch::Tensor mish_forward(torch::Tensor x) {
  return map([] __device__(float v) { return v * tanhf(log1pf(expf(v))); }, x);
}
"""

elementwise = load_inline(
    name="mish_extended_lambda",
    cpp_sources="torch::Tensor mish_forward(torch::Tensor x);",
    cuda_sources=cuda_src,
    functions=["mish_forward"],
    extra_cuda_cflags=["--extended-lambda", "-O3"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.mish = elementwise.mish_forward

    def forward(self, x):
        return self.mish(x)
