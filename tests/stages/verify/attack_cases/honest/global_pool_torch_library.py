# task: global_avg_pool
# expect: correct
# why: style: the operator is registered by TORCH_LIBRARY and called through torch.ops; is_python_module=False;
#      a warp a plane with float4 loads and a scalar tail.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_SRC = r"""
#include <torch/library.h>
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

namespace {

constexpr int kWarpsPerBlock = 8;

__global__ void plane_mean(const float* __restrict__ x, float* __restrict__ y, int planes, int size) {
  const int plane = blockIdx.x * kWarpsPerBlock + threadIdx.y;
  if (plane >= planes) return;
  const float* from = x + static_cast<int64_t>(plane) * size;
  float sum = 0.f;
  int done = 0;
  if (size % 4 == 0) {  // then every plane starts at a multiple of 16 bytes
    const float4* quads = reinterpret_cast<const float4*>(from);
    for (int i = threadIdx.x; i < size / 4; i += warpSize) {
      const float4 q = quads[i];
      sum += (q.x + q.y) + (q.z + q.w);
    }
    done = size;
  }
  for (int i = done + threadIdx.x; i < size; i += warpSize) sum += from[i];
  for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x == 0) y[plane] = sum / static_cast<float>(size);
}

at::Tensor plane_mean_cuda(const at::Tensor& x) {
  TORCH_CHECK(x.dim() == 4, "expected NCHW, got ", x.dim(), " dimensions");
  const at::Tensor in = x.contiguous();
  at::Tensor out = at::empty({in.size(0), in.size(1)}, in.options());
  const int planes = static_cast<int>(out.numel());
  const int size = static_cast<int>(in.size(2) * in.size(3));
  const dim3 block(32, kWarpsPerBlock);
  plane_mean<<<(planes + kWarpsPerBlock - 1) / kWarpsPerBlock, block, 0, at::cuda::getCurrentCUDAStream()>>>(
      in.data_ptr<float>(), out.data_ptr<float>(), planes, size);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

}  // namespace

TORCH_LIBRARY(plane_ops, m) {
  m.def("plane_mean(Tensor x) -> Tensor");
}

TORCH_LIBRARY_IMPL(plane_ops, CUDA, m) {
  m.impl("plane_mean", &plane_mean_cuda);
}
"""

load_inline(
    name="plane_ops_library",
    cpp_sources="",
    cuda_sources=_SRC,
    is_python_module=False,
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.ops.plane_ops.plane_mean(x)
