# task: ../../tasks/sort_of_levels
# expect: correct
# why: cub::BlockRadixSort of (float, index) pairs, padded with +inf-like keys; stable, so every tie is in torch's stable order (also right for the
# unstable call).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cub/block/block_radix_sort.cuh>

template <int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK)
sort_rows(const float* __restrict__ x, float* __restrict__ values, int64_t* __restrict__ indices,
          int cols) {
  using Sort = cub::BlockRadixSort<unsigned int, BLOCK, ITEMS, int>;
  __shared__ typename Sort::TempStorage temp;

  const size_t base = (size_t)blockIdx.x * cols;
  unsigned int keys[ITEMS];
  int where[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int c = threadIdx.x * ITEMS + i;      // blocked arrangement
    unsigned int key = 0xffffffffu;             // padding sorts behind everything
    if (c < cols) {
      const unsigned int bits = __float_as_uint(x[base + c] + 0.0f);   // -0 becomes +0
      key = (bits & 0x80000000u) ? ~bits : (bits | 0x80000000u);
    }
    keys[i] = key;
    where[i] = c;
  }
  Sort(temp).Sort(keys, where);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int c = threadIdx.x * ITEMS + i;
    if (c < cols) {
      values[base + c] = x[base + where[i]];
      indices[base + c] = where[i];
    }
  }
}

std::tuple<torch::Tensor, torch::Tensor> sort_forward(torch::Tensor x) {
  x = x.contiguous();
  const int rows = x.size(0), cols = x.size(1);
  auto values = torch::empty_like(x);
  auto indices = torch::empty(x.sizes(), x.options().dtype(torch::kLong));
  auto stream = at::cuda::getCurrentCUDAStream();
  const float* in = x.data_ptr<float>();
  float* v = values.data_ptr<float>();
  int64_t* i = indices.data_ptr<int64_t>();
  if (cols <= 64) sort_rows<32, 2><<<rows, 32, 0, stream>>>(in, v, i, cols);
  else if (cols <= 512) sort_rows<128, 4><<<rows, 128, 0, stream>>>(in, v, i, cols);
  else if (cols <= 4096) sort_rows<256, 16><<<rows, 256, 0, stream>>>(in, v, i, cols);
  else TORCH_CHECK(false, "rows longer than 4096 are not supported");
  return {values, indices};
}
"""

sorter = load_inline(name="sort_block_radix",
                     cpp_sources="std::tuple<torch::Tensor, torch::Tensor> sort_forward(torch::Tensor x);",
                     cuda_sources=source, functions=["sort_forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        return sorter.sort_forward(x)
