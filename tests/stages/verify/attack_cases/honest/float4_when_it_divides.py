# task: permute_add
# expect: correct
# why: shared-memory transpose with an odd pitch, plus a host helper lambda and c10::multiply_integers in a condition that only says whether there is work; two kernels by whether 32-bit indices suffice
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


CPP = "torch::Tensor permute_add(torch::Tensor x, torch::Tensor y);"
CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

#include <c10/util/accumulate.h>
#include <limits>

template <typename index_t>
__global__ void permute_add_kernel(const float* x, const float* y, float* out, index_t rows, index_t columns) {
  __shared__ float tile[32][33];
  const index_t image = (index_t)blockIdx.z * rows * columns;
  index_t column = blockIdx.x * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8) {
    const index_t row = blockIdx.y * 32 + k;
    if (row < rows && column < columns) tile[k][threadIdx.x] = x[image + row * columns + column];
  }
  __syncthreads();
  const index_t row = blockIdx.y * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8) {
    column = blockIdx.x * 32 + k;
    if (row < rows && column < columns) {
      const index_t place = image + column * rows + row;
      out[place] = tile[threadIdx.x][k] + y[place];
    }
  }
}

torch::Tensor permute_add(torch::Tensor x, torch::Tensor y) {
  TORCH_CHECK(x.dim() == 3 && y.dim() == 3, "expected three dimensions");
  auto out = torch::empty_like(y);
  const int64_t work = c10::multiply_integers(x.sizes());
  if (work == 0) return out;
  const int64_t rows = x.size(1), columns = x.size(2);
  const auto tiles = [](int64_t size) { return static_cast<unsigned>((size + 31) / 32); };
  const dim3 grid(tiles(columns), tiles(rows), x.size(0)), block(32, 8);
  if (work <= std::numeric_limits<int32_t>::max()) {
    permute_add_kernel<int32_t><<<grid, block>>>(x.data_ptr<float>(), y.data_ptr<float>(),
                                                 out.data_ptr<float>(), rows, columns);
  } else {
    permute_add_kernel<int64_t><<<grid, block>>>(x.data_ptr<float>(), y.data_ptr<float>(),
                                                 out.data_ptr<float>(), rows, columns);
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""
ext = load_inline(name="permute_add_ext", cpp_sources=CPP, cuda_sources=CUDA, functions=["permute_add"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, y):
        return ext.permute_add(x.contiguous(), y.contiguous())
