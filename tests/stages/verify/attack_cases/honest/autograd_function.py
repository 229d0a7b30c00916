# task: softplus
# expect: correct
# why: float2 pairs with a scalar tail, torch's threshold of 20; the shape is no multiple of anything
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

__device__ __forceinline__ float softplus1(float v) { return v > 20.0f ? v : log1pf(expf(v)); }

__global__ void softplus_pairs(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int pairs = n >> 1;
  const float2* x2 = reinterpret_cast<const float2*>(x);
  float2* y2 = reinterpret_cast<float2*>(y);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
    const float2 v = x2[i];
    y2[i] = make_float2(softplus1(v.x), softplus1(v.y));
  }
  if ((n & 1) && blockIdx.x == 0 && threadIdx.x == 0) y[n - 1] = softplus1(x[n - 1]);
}

torch::Tensor softplus_fwd(const torch::Tensor& x) {
  auto y = at::empty_like(x, x.options(), at::MemoryFormat::Contiguous);
  const int n = x.numel();
  int min_grid = 0, block = 0;
  C10_CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&min_grid, &block, softplus_pairs, 0, 0));
  const int needed = ((n >> 1) + block - 1) / block;
  softplus_pairs<<<std::max(1, std::min(needed, min_grid)), block, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""


class _Native:
    """Callable that builds the extension when it is first used."""

    __slots__ = ("_module",)

    def __init__(self):
        self._module = None

    def __call__(self, x):
        if self._module is None:
            self._module = load_inline(
                name="softplus_fwd_only",
                cpp_sources="torch::Tensor softplus_fwd(const torch::Tensor& x);",
                cuda_sources=_CUDA,
                functions=["softplus_fwd"],
            )
        return self._module.softplus_fwd(x)


_native = _Native()


class SoftplusFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return _native(x)

    @staticmethod
    def backward(ctx, grad_output):
        raise NotImplementedError("inference only")


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return SoftplusFunction.apply(x.contiguous())
