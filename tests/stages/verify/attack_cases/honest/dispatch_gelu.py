# task: gelu_exact
# expect: correct
# why: one thread per element in a grid-stride loop with torch's own loop macro; erf form as in torch
import os

os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "8.0;9.0")
os.environ["MAX_JOBS"] = "4"

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_src = "torch::Tensor gelu_forward(torch::Tensor input);"

cuda_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/detail/KernelUtils.h>
#include <c10/cuda/CUDAException.h>
#include <cmath>

template <typename scalar_t>
__device__ __forceinline__ scalar_t gelu(scalar_t x) {
  constexpr scalar_t kAlpha = static_cast<scalar_t>(0.70710678118654752440);
  return x * static_cast<scalar_t>(0.5) * (static_cast<scalar_t>(1) + ::erf(x * kAlpha));
}

template <typename scalar_t>
__global__ void gelu_kernel(const scalar_t* __restrict__ in, scalar_t* __restrict__ out, int n) {
  CUDA_KERNEL_LOOP(i, n) {
    out[i] = gelu(in[i]);
  }
}

torch::Tensor gelu_forward(torch::Tensor input) {
  TORCH_CHECK(input.is_cuda(), "input must be a CUDA tensor");
  TORCH_CHECK(input.is_contiguous(), "input must be contiguous");
  TORCH_CHECK(input.numel() <= std::numeric_limits<int>::max(), "input is too large");
  auto output = torch::empty_like(input);
  const int n = static_cast<int>(input.numel());
  const int threads = 256;
  const int blocks = std::min((n + threads - 1) / threads, 4096);
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "gelu_forward", [&] {
    gelu_kernel<scalar_t><<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
        input.data_ptr<scalar_t>(), output.data_ptr<scalar_t>(), n);
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return output;
}
"""

gelu_ext = load_inline(
    name="gelu_ext_dispatch",
    cpp_sources=[cpp_src],
    cuda_sources=[cuda_src],
    functions=["gelu_forward"],
    extra_cflags=["-O3"],
    extra_cuda_cflags=["-O3", "-lineinfo", "--ptxas-options=-v"],
    verbose=True,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gelu = gelu_ext

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.gelu.gelu_forward(x.contiguous())
