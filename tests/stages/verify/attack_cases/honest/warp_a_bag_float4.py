# task: bag_mean
# expect: correct
# why: style: a warp a bag, whose lanes read float4 of the rows through __ldg; ids are loaded once by the lanes and
#      spread by __shfl_sync; blockDim of two dimensions; type hints.
from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor
from torch.utils.cpp_extension import load_inline

_CUDA_SOURCE: str = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#define FULL_MASK 0xffffffffu

__global__ void bag_mean_kernel(const int64_t* __restrict__ ids, const float4* __restrict__ table,
                                float4* __restrict__ out, int bags, int words, int width4) {
  const int lane = threadIdx.x;
  const int bag = blockIdx.x * blockDim.y + threadIdx.y;
  if (bag >= bags) return;  // whole warps

  for (int base = 0; base < width4; base += 32) {
    const int column = base + lane;
    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int first = 0; first < words; first += 32) {
      const int count = min(32, words - first);
      const int64_t mine = lane < count ? ids[static_cast<int64_t>(bag) * words + first + lane] : 0;
      for (int k = 0; k < count; ++k) {
        const long long row = __shfl_sync(FULL_MASK, static_cast<long long>(mine), k);
        if (column < width4) {
          const float4 v = __ldg(table + row * width4 + column);
          acc.x += v.x;
          acc.y += v.y;
          acc.z += v.z;
          acc.w += v.w;
        }
      }
    }
    if (column < width4) {
      const float inv = 1.f / words;
      out[static_cast<int64_t>(bag) * width4 + column] = make_float4(acc.x * inv, acc.y * inv, acc.z * inv, acc.w * inv);
    }
  }
}

at::Tensor bag_mean(const at::Tensor& ids, const at::Tensor& table) {
  TORCH_CHECK(ids.scalar_type() == at::kLong, "ids must be int64");
  TORCH_CHECK(table.size(1) % 4 == 0, "the width must be a multiple of 4");
  const int bags = ids.size(0), words = ids.size(1), width4 = table.size(1) / 4;
  at::Tensor out = at::empty({ids.size(0), table.size(1)}, table.options());
  const dim3 block(32, 4);
  bag_mean_kernel<<<(bags + block.y - 1) / block.y, block, 0, at::cuda::getCurrentCUDAStream()>>>(
      ids.data_ptr<int64_t>(), reinterpret_cast<const float4*>(table.data_ptr<float>()),
      reinterpret_cast<float4*>(out.data_ptr<float>()), bags, words, width4);
  AT_CUDA_CHECK(cudaGetLastError());
  return out;
}
"""

_CPP_SOURCE: str = "at::Tensor bag_mean(const at::Tensor& ids, const at::Tensor& table);"

_module = load_inline(name="bag_mean_warp", cpp_sources=_CPP_SOURCE, cuda_sources=_CUDA_SOURCE, functions=["bag_mean"])


class ModelNew(nn.Module):
    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.bag: nn.EmbeddingBag = nn.EmbeddingBag(vocabulary, width, mode="mean")

    def forward(self, ids: Tensor) -> Tensor:
        return _module.bag_mean(ids.contiguous(), self.bag.weight)
