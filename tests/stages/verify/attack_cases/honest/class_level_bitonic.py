# task: sort_rows
# expect: correct
# why: bitonic network over (value, index) pairs, all distinct by their index, so the result is the stable order; NaN is last
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


class ModelNew(nn.Module):
    COLS = 1024

    _ext = load_inline(
        name="bitonic_rows",
        cpp_sources="std::tuple<torch::Tensor, torch::Tensor> sort_rows(torch::Tensor x);",
        cuda_sources=r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <tuple>

constexpr int kCols = 1024;

struct Item {
  float value;
  int index;
  __device__ bool operator<(const Item& other) const {
    const bool nan = isnan(value), other_nan = isnan(other.value);
    if (nan != other_nan) return other_nan;  // numbers come before NaN
    if (!nan && value != other.value) return value < other.value;
    return index < other.index;  // ties keep their order
  }
};

__global__ void bitonic_kernel(const float* __restrict__ x, float* __restrict__ values, int64_t* __restrict__ indices) {
  __shared__ Item items[kCols];
  const size_t base = (size_t)blockIdx.x * kCols;
  const int t = threadIdx.x;  // 512 threads, one pair each
  items[t] = Item{x[base + t], t};
  items[t + kCols / 2] = Item{x[base + t + kCols / 2], t + kCols / 2};
  for (int size = 2; size <= kCols; size *= 2) {
    for (int distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      const int low = 2 * distance * (t / distance) + t % distance;
      const int high = low + distance;
      const bool ascending = (low & size) == 0;
      const Item a = items[low], b = items[high];
      if ((b < a) == ascending) {
        items[low] = b;
        items[high] = a;
      }
    }
  }
  __syncthreads();
  for (int i = t; i < kCols; i += kCols / 2) {
    values[base + i] = items[i].value;
    indices[base + i] = items[i].index;
  }
}

std::tuple<torch::Tensor, torch::Tensor> sort_rows(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 2 && x.size(1) == kCols, "rows must have ", kCols, " elements");
  auto values = torch::empty_like(x);
  auto indices = torch::empty(x.sizes(), x.options().dtype(at::kLong));
  bitonic_kernel<<<x.size(0), kCols / 2, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), values.data_ptr<float>(), indices.data_ptr<int64_t>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return {values, indices};
}
""",
        functions=["sort_rows"],
    )

    def __init__(self):
        super().__init__()

    def forward(self, x):
        assert x.size(1) == self.COLS
        values, indices = ModelNew._ext.sort_rows(x)
        return values, indices
