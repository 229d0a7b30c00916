# task: rms_norm_bf16
# expect: correct
# why: a helper class plans the launch from the sizes
import os
import tempfile

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CU = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_bf16.h>
#include <mutex>

union Pack8 {
  uint4 raw;
  __nv_bfloat162 pair[4];
};

// One block a row; eight bf16 per load. Threads beyond the row idle.
__global__ void rms_kernel(const uint4* __restrict__ x, const uint4* __restrict__ w, uint4* __restrict__ y,
                           int packs, float inv_n, float eps) {
  extern __shared__ float warp_sums[];
  const size_t row = (size_t)blockIdx.x * packs;
  float ss = 0.f;
  for (int i = threadIdx.x; i < packs; i += blockDim.x) {
    Pack8 p; p.raw = x[row + i];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float2 f = __bfloat1622float2(p.pair[j]);
      ss = fmaf(f.x, f.x, ss);
      ss = fmaf(f.y, f.y, ss);
    }
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) ss += __shfl_xor_sync(~0u, ss, o);
  if ((threadIdx.x & 31) == 0) warp_sums[threadIdx.x >> 5] = ss;
  __syncthreads();
  float total = 0.f;
  const int warps = (blockDim.x + 31) >> 5;
  for (int i = 0; i < warps; ++i) total += warp_sums[i];
  const float scale = rsqrtf(fmaf(total, inv_n, eps));
  for (int i = threadIdx.x; i < packs; i += blockDim.x) {
    Pack8 p, g, r;
    p.raw = x[row + i];
    g.raw = __ldg(w + i);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float2 f = __bfloat1622float2(p.pair[j]);
      // The reference rounds to bf16 before it multiplies by the weight.
      r.pair[j] = __hmul2(__floats2bfloat162_rn(f.x * scale, f.y * scale), g.pair[j]);
    }
    y[row + i] = r.raw;
  }
}

class LaunchPlan {
 public:
  static LaunchPlan& instance() {
    static LaunchPlan plan;
    return plan;
  }
  int threads_for(int packs) {
    std::call_once(once_, [this] {
      int min_grid = 0;
      auto per_thread_smem = [](int block) -> size_t { return sizeof(float) * ((block + 31) / 32); };
      (void)per_thread_smem;
      C10_CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&min_grid, &best_, rms_kernel, 128, 512));
    });
    const int rounded = ((packs + 31) / 32) * 32;
    return std::max(32, std::min(best_, rounded));
  }

 private:
  LaunchPlan() = default;
  std::once_flag once_;
  int best_ = 0;
};

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  TORCH_CHECK(x.scalar_type() == at::kBFloat16 && weight.scalar_type() == at::kBFloat16);
  TORCH_CHECK(x.is_contiguous() && weight.is_contiguous());
  const int64_t hidden = x.size(-1);
  TORCH_CHECK(hidden % 8 == 0, "hidden must be a multiple of 8");
  at::Tensor y = at::empty_like(x);
  const int packs = hidden / 8;
  const int64_t rows = x.numel() / hidden;
  const int threads = LaunchPlan::instance().threads_for(packs);
  rms_kernel<<<(unsigned)rows, threads, sizeof(float) * (threads / 32), at::cuda::getCurrentCUDAStream()>>>(
      static_cast<const uint4*>(x.data_ptr()), static_cast<const uint4*>(weight.data_ptr()),
      static_cast<uint4*>(y.data_ptr()), packs, 1.0f / hidden, (float)eps);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("rms_norm", &rms_norm, "RMS norm in bf16", py::arg("x"), py::arg("weight"), py::arg("eps"));
}
"""


def _build():
    return load_inline(name="h06_rms_norm_bf16_plan", cpp_sources="", cuda_sources=CU)


_ext = _build()


class ModelNew(nn.Module):
    def __init__(self, hidden, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(hidden).to(torch.bfloat16))
        self.eps = eps

    def forward(self, x):
        return _ext.rms_norm(x.contiguous(), self.weight, eps=self.eps)
