# task: ../../tasks/max_pool
# expect: correct
# why: window and stride as template parameters for the common pair (3, 2) and (2, 2), a general kernel else; padding never takes part (starts at -inf) and
# a NaN wins as in torch.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

pool_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

struct PoolShape {
  int H, W, OH, OW, kernel, stride, padding;
};

// KERNEL or STRIDE of 0: taken from the shape at run time
template <int KERNEL, int STRIDE>
__global__ void max_pool_kernel(const float* __restrict__ x, float* __restrict__ y, PoolShape s) {
  const int kernel = KERNEL > 0 ? KERNEL : s.kernel;
  const int stride = STRIDE > 0 ? STRIDE : s.stride;
  const int ox = blockIdx.x * blockDim.x + threadIdx.x;
  const int oy = blockIdx.y * blockDim.y + threadIdx.y;
  if (ox >= s.OW || oy >= s.OH) return;
  const float* plane = x + (size_t)blockIdx.z * s.H * s.W;
  const int x0 = ox * stride - s.padding, y0 = oy * stride - s.padding;

  float best = -INFINITY;
#pragma unroll
  for (int ky = 0; ky < kernel; ++ky) {
    const int iy = y0 + ky;
    if (iy < 0 || iy >= s.H) continue;
#pragma unroll
    for (int kx = 0; kx < kernel; ++kx) {
      const int ix = x0 + kx;
      if (ix < 0 || ix >= s.W) continue;
      const float v = __ldg(plane + (size_t)iy * s.W + ix);
      if (v > best || isnan(v)) best = v;
    }
  }
  y[((size_t)blockIdx.z * s.OH + oy) * s.OW + ox] = best;
}

torch::Tensor max_pool2d_forward(torch::Tensor x, int64_t kernel, int64_t stride, int64_t padding) {
  TORCH_CHECK(x.dim() == 4, "NCHW is what it takes");
  TORCH_CHECK(padding * 2 <= kernel, "padding must be at most half of the window");
  x = x.contiguous();
  const int planes = x.size(0) * x.size(1);
  PoolShape s;
  s.H = x.size(2);
  s.W = x.size(3);
  s.kernel = kernel;
  s.stride = stride;
  s.padding = padding;
  s.OH = (s.H + 2 * s.padding - s.kernel) / s.stride + 1;
  s.OW = (s.W + 2 * s.padding - s.kernel) / s.stride + 1;
  TORCH_CHECK(planes <= 65535, "too many planes for one launch");
  auto y = torch::empty({x.size(0), x.size(1), s.OH, s.OW}, x.options());
  const dim3 block(16, 8);
  const dim3 grid((s.OW + 15) / 16, (s.OH + 7) / 8, planes);
  auto stream = at::cuda::getCurrentCUDAStream();
  const float* in = x.data_ptr<float>();
  float* out = y.data_ptr<float>();
  if (kernel == 3 && stride == 2) {
    max_pool_kernel<3, 2><<<grid, block, 0, stream>>>(in, out, s);
  } else if (kernel == 2 && stride == 2) {
    max_pool_kernel<2, 2><<<grid, block, 0, stream>>>(in, out, s);
  } else {
    max_pool_kernel<0, 0><<<grid, block, 0, stream>>>(in, out, s);
  }
  return y;
}
"""

pool = load_inline(
    name="max_pool_template_dispatch",
    cpp_sources="torch::Tensor max_pool2d_forward(torch::Tensor x, int64_t kernel, int64_t stride, int64_t padding);",
    cuda_sources=pool_source,
    functions=["max_pool2d_forward"],
)


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding

    def forward(self, x):
        return pool.max_pool2d_forward(x, self.kernel_size, self.stride, self.padding)
