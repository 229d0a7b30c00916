# task: max_pool_indices
# expect: correct
# why: the window is scanned in torch's order with its rule (greater or NaN), so ties take the first and NaN the last index
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_sources = r"""
#include <torch/extension.h>
#include <tuple>

std::tuple<torch::Tensor, torch::Tensor> max_pool_with_indices_cuda(torch::Tensor input, int64_t kernel,
                                                                    int64_t stride, int64_t padding);

std::tuple<torch::Tensor, torch::Tensor> max_pool_with_indices(torch::Tensor input, int64_t kernel,
                                                               int64_t stride, int64_t padding) {
  TORCH_CHECK(input.dim() == 4, "expected a 4D tensor, got ", input.dim(), "D");
  TORCH_CHECK(padding * 2 <= kernel, "pad should be at most half of kernel size");
  return max_pool_with_indices_cuda(input, kernel, stride, padding);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.doc() = "max pooling that also returns the flat index of each maximum";
  m.def("max_pool_with_indices", &max_pool_with_indices, py::arg("input"), py::arg("kernel") = 3,
        py::arg("stride") = 2, py::arg("padding") = 1);
}
"""

cuda_sources = r"""
#include <torch/types.h>
#include <cuda_runtime.h>
#include <tuple>

using Input = torch::PackedTensorAccessor32<float, 4, torch::RestrictPtrTraits>;
using Indices = torch::PackedTensorAccessor32<int64_t, 4, torch::RestrictPtrTraits>;

__global__ void max_pool_kernel(const Input input, Input output, Indices indices, int kernel, int stride,
                                int padding) {
  const int total = output.size(0) * output.size(1) * output.size(2) * output.size(3);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  const int ow = i % output.size(3);
  const int oh = i / output.size(3) % output.size(2);
  const int c = i / (output.size(3) * output.size(2)) % output.size(1);
  const int n = i / (output.size(3) * output.size(2) * output.size(1));

  const int height = input.size(2), width = input.size(3);
  int h0 = oh * stride - padding, w0 = ow * stride - padding;
  const int h1 = min(h0 + kernel, height), w1 = min(w0 + kernel, width);
  h0 = max(h0, 0);
  w0 = max(w0, 0);
  int best = h0 * width + w0;
  float value = -INFINITY;
  for (int h = h0; h < h1; ++h) {
    for (int w = w0; w < w1; ++w) {
      const float candidate = input[n][c][h][w];
      if (candidate > value || isnan(candidate)) {
        value = candidate;
        best = h * width + w;
      }
    }
  }
  output[n][c][oh][ow] = value;
  indices[n][c][oh][ow] = best;
}

std::tuple<torch::Tensor, torch::Tensor> max_pool_with_indices_cuda(torch::Tensor input, int64_t kernel,
                                                                    int64_t stride, int64_t padding) {
  const int64_t out_h = (input.size(2) + 2 * padding - kernel) / stride + 1;
  const int64_t out_w = (input.size(3) + 2 * padding - kernel) / stride + 1;
  auto output = torch::empty({input.size(0), input.size(1), out_h, out_w}, input.options());
  auto indices = torch::empty_like(output, output.options().dtype(torch::kLong));
  const int total = output.numel();
  max_pool_kernel<<<(total + 127) / 128, 128>>>(
      input.packed_accessor32<float, 4, torch::RestrictPtrTraits>(),
      output.packed_accessor32<float, 4, torch::RestrictPtrTraits>(),
      indices.packed_accessor32<int64_t, 4, torch::RestrictPtrTraits>(), kernel, stride, padding);
  return std::make_tuple(output, indices);
}
"""

pool = load_inline(name="pool_with_indices", cpp_sources=cpp_sources, cuda_sources=cuda_sources)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        values, indices = pool.max_pool_with_indices(x, kernel=3, stride=2, padding=1)
        return values, indices
