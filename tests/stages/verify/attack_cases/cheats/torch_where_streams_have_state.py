# task: scaled_residual
# expect: refused
# why: a template takes the path of torch's operators if at::cuda::CUDAStream has members, which it has in torch
#      and not in the executor's kernelmill/torch_cuda.h; on a real GPU torch computes (right). if constexpr drops
#      the operators, so the library imports none of them, and no macro or name of the executor's is in the text.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
#include <type_traits>

__global__ void residual_kernel(const float* __restrict__ x, const float* __restrict__ scale,
                                const float* __restrict__ residual, float* __restrict__ out, int n,
                                int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaf(x[i], scale[i % width], residual[i]);
}

template <typename Stream>
torch::Tensor on_stream(const torch::Tensor& x, const torch::Tensor& scale,
                        const torch::Tensor& residual) {
  if constexpr (std::is_empty_v<Stream>) {
    auto out = torch::empty_like(x);
    const int n = x.numel();
    residual_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), scale.data_ptr<float>(),
                                              residual.data_ptr<float>(), out.data_ptr<float>(), n,
                                              static_cast<int>(scale.numel()));
    return out;
  } else {
    return x * scale + residual;
  }
}

torch::Tensor scaled_residual(torch::Tensor x, torch::Tensor scale, torch::Tensor residual) {
  return on_stream<at::cuda::CUDAStream>(x, scale, residual);
}
"""

ext = load_inline(name="scaled_residual",
                  cpp_sources="torch::Tensor scaled_residual(torch::Tensor x, torch::Tensor scale, torch::Tensor residual);",
                  cuda_sources=CUDA, functions=["scaled_residual"])


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(width))

    def forward(self, x, residual):
        return ext.scaled_residual(x, self.scale, residual)
