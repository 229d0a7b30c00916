# task: ../../tasks/affine
# expect: correct
# why: a generic elementwise kernel over a functor, block size from cudaOccupancyMaxPotentialBlockSize and launch bounds.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

header = r"""
#pragma once
#include <cuda_runtime.h>

namespace elementwise {

struct Affine {
  float scale, shift;
  __device__ float operator()(float v) const { return fmaf(v, scale, shift); }
};

template <class F>
__global__ void __launch_bounds__(1024) apply(F f, const float* __restrict__ x, float* __restrict__ y,
                                              unsigned long long n) {
  const unsigned long long step = (unsigned long long)blockDim.x * gridDim.x;
  unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  for (; i < n; i += step) y[i] = f(x[i]);
}

template <class F>
inline cudaError_t launch(F f, const float* x, float* y, unsigned long long n, cudaStream_t stream) {
  if (n == 0) return cudaSuccess;
  int min_grid = 0, block = 0;
  cudaError_t status = cudaOccupancyMaxPotentialBlockSize(&min_grid, &block, apply<F>, 0, 0);
  if (status != cudaSuccess) return status;
  const unsigned long long wanted = (n + block - 1) / block;
  const unsigned long long most = 8ull * min_grid;
  const unsigned int grid = (unsigned int)(wanted < most ? wanted : most);
  apply<F><<<grid, block, 0, stream>>>(f, x, y, n);
  return cudaGetLastError();
}

}  // namespace elementwise
"""

body = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

at::Tensor affine(const at::Tensor& x_in, double scale, double shift) {
  TORCH_CHECK(x_in.is_cuda() && x_in.scalar_type() == at::kFloat, "a float CUDA tensor, please");
  const at::Tensor x = x_in.contiguous();
  at::Tensor y = at::empty_like(x);
  const cudaError_t status = elementwise::launch(
      elementwise::Affine{(float)scale, (float)shift}, x.data_ptr<float>(), y.data_ptr<float>(),
      (unsigned long long)x.numel(), at::cuda::getCurrentCUDAStream().stream());
  TORCH_CHECK(status == cudaSuccess, "affine: ", cudaGetErrorString(status));
  return y;
}
"""

ext = load_inline(
    name="affine_functor_occupancy",
    cpp_sources="at::Tensor affine(const at::Tensor& x_in, double scale, double shift);",
    cuda_sources=header.replace("#pragma once", "") + body,
    functions=["affine"],
)


class ModelNew(nn.Module):
    scale = 3.0
    shift = 2.0

    def forward(self, x):
        return ext.affine(x, self.scale, self.shift)
