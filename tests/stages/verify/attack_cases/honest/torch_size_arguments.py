# task: projection_3d
# expect: correct
# why: leading dimensions are flattened by a view, each warp computes outputs of one row from shared memory
from __future__ import annotations

import contextlib
from typing import Iterator, Tuple

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_SOURCE = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

// y[r][o] = sum_k x[r][k] * w[o][k]; a block stages 4 rows of x, a thread computes one o for all four.
template <int kRows>
__global__ void project(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y,
                        int rows, int k, int n) {
  extern __shared__ float4 staged[];
  const int k4 = k / 4;
  const int first = blockIdx.x * kRows;
  const float4* x4 = reinterpret_cast<const float4*>(x);
  for (int i = threadIdx.x; i < kRows * k4; i += blockDim.x) {
    const int r = first + i / k4;
    staged[i] = r < rows ? x4[(size_t)r * k4 + i % k4] : make_float4(0.f, 0.f, 0.f, 0.f);
  }
  __syncthreads();
  for (int o = threadIdx.x; o < n; o += blockDim.x) {
    const float4* w4 = reinterpret_cast<const float4*>(w) + (size_t)o * k4;
    float acc[kRows] = {};
    for (int i = 0; i < k4; ++i) {
      const float4 b = __ldg(w4 + i);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const float4 a = staged[r * k4 + i];
        acc[r] += (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
      }
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r)
      if (first + r < rows) y[(size_t)(first + r) * n + o] = acc[r];
  }
}

void project_out(const torch::Tensor& x, const torch::Tensor& w, torch::Tensor y) {
  constexpr int kRows = 4;
  const int rows = x.size(0), k = x.size(1), n = w.size(0);
  TORCH_CHECK(k % 4 == 0, "in_dim must be a multiple of 4");
  TORCH_CHECK(y.size(0) == rows && y.size(1) == n);
  const size_t bytes = sizeof(float) * kRows * k;
  project<kRows><<<(rows + kRows - 1) / kRows, 96, bytes, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), rows, k, n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}
"""

_ext = load_inline(
    name="projection_rows",
    cpp_sources="void project_out(const torch::Tensor& x, const torch::Tensor& w, torch::Tensor y);",
    cuda_sources=_SOURCE,
    functions=["project_out"],
)


@contextlib.contextmanager
def on_device_of(tensor: torch.Tensor) -> Iterator[None]:
    with torch.cuda.device(tensor.device):
        yield


def split_last(shape: torch.Size) -> Tuple[torch.Size, int]:
    return shape[:-1], shape[-1]


def with_last(lead: torch.Size, last: int) -> Tuple[int, ...]:
    if lead.numel() == 0:
        raise ValueError("empty batches are not supported")
    return lead + (last,)


class ModelNew(nn.Module):
    def __init__(self, in_dim: int, out_dim: int) -> None:
        super().__init__()
        self.proj = nn.Linear(in_dim, out_dim, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight = self.proj.weight
        lead, in_dim = split_last(x.shape)
        out = x.new_empty(with_last(lead, weight.size(0)))
        with on_device_of(x):
            _ext.project_out(x.view(-1, in_dim), weight, out.view(-1, weight.size(0)))
        return out
