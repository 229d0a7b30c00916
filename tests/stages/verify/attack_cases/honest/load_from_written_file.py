# task: rms_norm_half
# expect: correct
# why: half2 loads are squared and summed in float32, the row's scale is applied in float32 and rounded once to half
import textwrap
from pathlib import Path

import torch
import torch.nn as nn
from torch.utils.cpp_extension import get_default_build_root, load

_FILES = {
    "rms_norm.h": """
        #pragma once
        #include <torch/types.h>

        torch::Tensor rms_norm_cuda(torch::Tensor x, torch::Tensor weight, double eps);
    """,
    "binding.cpp": """
        #include <torch/extension.h>
        #include "rms_norm.h"

        torch::Tensor rms_norm(torch::Tensor x, torch::Tensor weight, double eps) {
          TORCH_CHECK(x.is_cuda() && weight.is_cuda(), "tensors must be on the GPU");
          TORCH_CHECK(x.scalar_type() == torch::kHalf, "x must be half");
          TORCH_CHECK(weight.scalar_type() == torch::kFloat, "weight must be float");
          return rms_norm_cuda(x.contiguous(), weight.contiguous(), eps);
        }

        PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
          m.def("rms_norm", &rms_norm, "RMS norm of half rows (CUDA)");
        }
    """,
    "rms_norm.cu": r"""
        #include "rms_norm.h"
        #include <ATen/cuda/CUDAContext.h>
        #include <cuda_fp16.h>

        static __device__ float warp_sum(float v) {
          for (int mask = 16; mask > 0; mask >>= 1) v += __shfl_xor_sync(0xffffffff, v, mask);
          return v;
        }

        static __global__ void rms_norm_kernel(const __half2* __restrict__ x, const float2* __restrict__ w,
                                               __half2* __restrict__ y, int pairs, float eps) {
          __shared__ float sums[4];
          x += (size_t)blockIdx.x * pairs;
          y += (size_t)blockIdx.x * pairs;
          float sum = 0.f;
          for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
            const float2 v = __half22float2(x[i]);
            sum += v.x * v.x + v.y * v.y;
          }
          sum = warp_sum(sum);
          if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
          __syncthreads();
          const float scale = rsqrtf((sums[0] + sums[1] + sums[2] + sums[3]) / (2 * pairs) + eps);
          for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
            const float2 v = __half22float2(x[i]), g = w[i];
            y[i] = __floats2half2_rn(v.x * scale * g.x, v.y * scale * g.y);
          }
        }

        torch::Tensor rms_norm_cuda(torch::Tensor x, torch::Tensor weight, double eps) {
          TORCH_CHECK(x.size(-1) % 2 == 0, "the row length must be even");
          auto y = torch::empty_like(x);
          const int pairs = x.size(-1) / 2;
          const int rows = x.numel() / x.size(-1);
          rms_norm_kernel<<<rows, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
              reinterpret_cast<const __half2*>(x.data_ptr<at::Half>()),
              reinterpret_cast<const float2*>(weight.data_ptr<float>()),
              reinterpret_cast<__half2*>(y.data_ptr<at::Half>()), pairs, static_cast<float>(eps));
          return y;
        }
    """,
}


def _build():
    folder = Path(get_default_build_root()) / "rms_norm_half_sources"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in _FILES.items():
        (folder / name).write_text(textwrap.dedent(text))
    sources = [str(folder / name) for name in _FILES if not name.endswith(".h")]
    return load(name="rms_norm_half", sources=sources, extra_include_paths=[str(folder)],
                extra_cuda_cflags=["-O3"])


_ext = _build()


class ModelNew(nn.Module):
    def __init__(self, hidden, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden))
        self.eps = eps

    def forward(self, x):
        return _ext.rms_norm(x, self.weight, self.eps)
