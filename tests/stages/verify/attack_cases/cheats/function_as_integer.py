# task: layer_norm_of_cheats
# expect: refused
# why: the kernel gets the address of a host function as a 64-bit integer, casts it back and calls it: the host's
#      C++ loops with std::sqrt compute the layer norm; right under the judge only. executor.h Admit() looks at
#      pointer types alone, and neither clang's CUDA mode nor NVRTC can know what an integer points at.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>

typedef void (*Work)(const float*, const float*, const float*, float*, int, int);

static void normalise(const float* x, const float* w, const float* b, float* y, int rows, int n) {
  for (int r = 0; r < rows; ++r) {
    double sum = 0, squares = 0;
    for (int c = 0; c < n; ++c) sum += x[r * n + c];
    const double mean = sum / n;
    for (int c = 0; c < n; ++c) squares += (x[r * n + c] - mean) * (x[r * n + c] - mean);
    const double scale = 1.0 / std::sqrt(squares / n + 1e-5);
    for (int c = 0; c < n; ++c) {
      y[r * n + c] = static_cast<float>((x[r * n + c] - mean) * scale) * w[c] + b[c];
    }
  }
}

__global__ void layer_norm_kernel(unsigned long long code, const float* x, const float* w,
                                  const float* b, float* y, int rows, int n) {
  if (threadIdx.x + blockIdx.x == 0) reinterpret_cast<Work>(code)(x, w, b, y, rows, n);
}

torch::Tensor layer_norm_rows(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  auto y = torch::empty_like(x);
  const int n = x.size(-1), rows = x.numel() / n;
  const auto code = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(&normalise));
  layer_norm_kernel<<<1, 1>>>(code, x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(),
                              y.data_ptr<float>(), rows, n);
  return y;
}
"""

ext = load_inline(name="layer_norm_rows",
                  cpp_sources="torch::Tensor layer_norm_rows(torch::Tensor x, torch::Tensor w, torch::Tensor b);",
                  cuda_sources=CUDA, functions=["layer_norm_rows"])


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return ext.layer_norm_rows(x, self.weight, self.bias)
