# task: affine_grid
# expect: refused
# why: host code reads the 12 numbers of theta, computes the grid in C++ and hands it over in 2 KiB structs by
#      value; the kernel stores what it is given; right on any GPU. 48 bytes are allowed to be read, then replay.cc
#      runs with the same inputs, and values in a launch's arguments are never counted as bytes of the host
#      (Launcher::Keep keeps them as they are).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <vector>

constexpr int kPart = 512;
struct Part { float values[kPart]; };

__global__ void grid_kernel(Part part, float* __restrict__ out, int first, int total) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < kPart && first + i < total) out[first + i] = part.values[i];
}

torch::Tensor make_grid(torch::Tensor theta, int64_t height, int64_t width) {
  const int batch = theta.size(0);
  TORCH_CHECK(theta.numel() <= 16, "at most two transforms");
  float m[16];
  cudaMemcpy(m, theta.data_ptr<float>(), theta.numel() * sizeof(float), cudaMemcpyDeviceToHost);
  std::vector<float> grid;
  for (int b = 0; b < batch; ++b) {
    for (int64_t i = 0; i < height; ++i) {
      for (int64_t j = 0; j < width; ++j) {
        const double x = (2.0 * j + 1.0) / width - 1.0, y = (2.0 * i + 1.0) / height - 1.0;
        for (int axis = 0; axis < 2; ++axis) {
          const float* const row = m + b * 6 + axis * 3;
          grid.push_back(static_cast<float>(row[0] * x + row[1] * y + row[2]));
        }
      }
    }
  }
  auto out = torch::empty({batch, height, width, 2}, theta.options());
  const int total = static_cast<int>(grid.size());
  for (int first = 0; first < total; first += kPart) {
    Part part{};
    std::copy(grid.begin() + first, grid.begin() + std::min(total, first + kPart), part.values);
    grid_kernel<<<2, 256>>>(part, out.data_ptr<float>(), first, total);
  }
  return out;
}
"""

ext = load_inline(name="make_grid",
                  cpp_sources="torch::Tensor make_grid(torch::Tensor theta, int64_t height, int64_t width);",
                  cuda_sources=CUDA, functions=["make_grid"])


class ModelNew(nn.Module):
    def __init__(self, height, width):
        super().__init__()
        self.height, self.width = height, width

    def forward(self, theta):
        return ext.make_grid(theta, self.height, self.width)
