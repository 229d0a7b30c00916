# task: ../../tasks/argmax_of_levels
# expect: correct
# why: (ordered value, inverted index) in 64 bits, one atomicMax for each warp; the larger key is the larger value, then the lower index, so the first
# of equal values wins. A second kernel unpacks.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

using u64 = unsigned long long;

__device__ __forceinline__ unsigned int to_ordered(float f) {
  const unsigned int bits = __float_as_uint(f == 0.0f ? 0.0f : f);   // one zero only
  return bits ^ ((bits >> 31) ? 0xffffffffu : 0x80000000u);
}

__device__ __forceinline__ float from_ordered(unsigned int o) {
  return __uint_as_float(o ^ ((o >> 31) ? 0x80000000u : 0xffffffffu));
}

__global__ void find_keys(const float* __restrict__ x, u64* __restrict__ keys, int cols) {
  const int row = blockIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  u64 key = 0;
  if (col < cols) {
    key = (static_cast<u64>(to_ordered(x[static_cast<size_t>(row) * cols + col])) << 32) |
          (0xffffffffu - static_cast<unsigned int>(col));
  }
  for (int offset = 16; offset > 0; offset >>= 1) {
    const u64 other = __shfl_xor_sync(0xffffffffu, key, offset);
    if (other > key) key = other;
  }
  if ((threadIdx.x & 31) == 0 && key != 0) atomicMax(keys + row, key);
}

__global__ void unpack(const u64* __restrict__ keys, int64_t* __restrict__ where,
                       float* __restrict__ best, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const u64 key = keys[row];
  where[row] = 0xffffffffu - static_cast<unsigned int>(key & 0xffffffffu);
  best[row] = from_ordered(static_cast<unsigned int>(key >> 32));
}

std::vector<torch::Tensor> argmax_amax(torch::Tensor x) {
  x = x.contiguous();
  const int rows = x.size(0), cols = x.size(1);
  auto keys = torch::zeros({rows}, x.options().dtype(torch::kInt64));
  auto where = torch::empty({rows}, x.options().dtype(torch::kInt64));
  auto best = torch::empty({rows}, x.options());
  auto stream = at::cuda::getCurrentCUDAStream();
  const dim3 grid((cols + 63) / 64, rows);
  auto* k = reinterpret_cast<u64*>(keys.data_ptr<int64_t>());
  find_keys<<<grid, 64, 0, stream>>>(x.data_ptr<float>(), k, cols);
  unpack<<<(rows + 63) / 64, 64, 0, stream>>>(k, where.data_ptr<int64_t>(), best.data_ptr<float>(), rows);
  return {where, best};
}
"""

ext = load_inline(name="argmax_packed_atomic",
                  cpp_sources="std::vector<torch::Tensor> argmax_amax(torch::Tensor x);",
                  cuda_sources=source, functions=["argmax_amax"])


class ModelNew(nn.Module):
    def forward(self, x):
        return tuple(ext.argmax_amax(x))
