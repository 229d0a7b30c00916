# task: embed_positions
# expect: correct
# why: style: int64 indices checked by assert() in the kernel, CUDAGuard, one block a token, float4 when the width
#      allows it; the sinusoidal table is a buffer made by a helper function.
import math

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

embed_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAException.h>
#include <assert.h>

template <typename Vec>
__device__ __forceinline__ Vec scaled_sum(Vec e, float scale, Vec p);

template <>
__device__ __forceinline__ float scaled_sum<float>(float e, float scale, float p) {
  return e * scale + p;
}

template <>
__device__ __forceinline__ float4 scaled_sum<float4>(float4 e, float scale, float4 p) {
  return make_float4(e.x * scale + p.x, e.y * scale + p.y, e.z * scale + p.z, e.w * scale + p.w);
}

template <typename Vec>
__global__ void embed_kernel(const int64_t* __restrict__ ids, const Vec* __restrict__ table,
                             const Vec* __restrict__ positions, Vec* __restrict__ out, int64_t length, int64_t vocab,
                             int width, float scale) {
  const int64_t token = blockIdx.x;
  const int64_t id = ids[token];
  assert(id >= 0 && id < vocab);
  const Vec* row = table + id * width;
  const Vec* position = positions + token % length * width;
  Vec* to = out + token * width;
  for (int i = threadIdx.x; i < width; i += blockDim.x) to[i] = scaled_sum<Vec>(row[i], scale, position[i]);
}

torch::Tensor embed(torch::Tensor ids, torch::Tensor table, torch::Tensor positions, double scale) {
  TORCH_CHECK(ids.scalar_type() == torch::kInt64, "ids must be int64");
  TORCH_CHECK(ids.dim() == 2 && table.dim() == 2 && positions.dim() == 2);
  TORCH_CHECK(ids.size(1) <= positions.size(0), "sequences of at most ", positions.size(0), " tokens");
  const at::cuda::CUDAGuard guard(ids.device());
  const auto stream = at::cuda::getCurrentCUDAStream();
  ids = ids.contiguous();
  const int64_t dim = table.size(1);
  auto out = torch::empty({ids.size(0), ids.size(1), dim}, table.options());
  const unsigned tokens = static_cast<unsigned>(ids.numel());
  if (dim % 4 == 0) {
    embed_kernel<float4><<<tokens, 64, 0, stream>>>(
        ids.data_ptr<int64_t>(), reinterpret_cast<const float4*>(table.data_ptr<float>()),
        reinterpret_cast<const float4*>(positions.data_ptr<float>()), reinterpret_cast<float4*>(out.data_ptr<float>()),
        ids.size(1), table.size(0), static_cast<int>(dim / 4), static_cast<float>(scale));
  } else {
    embed_kernel<float><<<tokens, 64, 0, stream>>>(
        ids.data_ptr<int64_t>(), table.data_ptr<float>(), positions.data_ptr<float>(), out.data_ptr<float>(),
        ids.size(1), table.size(0), static_cast<int>(dim), static_cast<float>(scale));
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

embedding_ops = load_inline(
    name="embedding_positions",
    cpp_sources="torch::Tensor embed(torch::Tensor ids, torch::Tensor table, torch::Tensor positions, double scale);",
    cuda_sources=embed_src,
    functions=["embed"],
)


def sinusoids(length: int, dim: int) -> torch.Tensor:
    position = torch.arange(length, dtype=torch.float32).unsqueeze(1)
    rate = torch.exp(torch.arange(0, dim, 2, dtype=torch.float32) * (-math.log(10000.0) / dim))
    table = torch.zeros(length, dim)
    table[:, 0::2] = torch.sin(position * rate)
    table[:, 1::2] = torch.cos(position * rate)
    return table


class ModelNew(nn.Module):
    def __init__(self, vocab, dim, length):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim)
        self.register_buffer("positions", sinusoids(length, dim))
        self.scale = math.sqrt(dim)

    def forward(self, ids):
        return embedding_ops.embed(ids, self.embedding.weight, self.positions, self.scale)
