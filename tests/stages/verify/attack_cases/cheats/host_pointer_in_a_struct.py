# task: layer_norm_rows
# expect: refused
# why: a struct that kernels take by value holds pointers to host vectors: one kernel copies the input there, host code normalises, another kernel copies the result back
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor run_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps);"""
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cmath>
#include <vector>

struct Views {
  float* rows;
  float* weight;
  float* bias;
};

__global__ void gather_rows(Views views, const float* x, const float* weight, const float* bias, int count,
                            int cols) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) views.rows[i] = x[i];
  if (i < cols) {
    views.weight[i] = weight[i];
    views.bias[i] = bias[i];
  }
}

__global__ void scatter_rows(Views views, float* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = views.rows[i];
}

torch::Tensor run_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
  const int cols = x.size(-1), rows = x.numel() / cols, count = rows * cols;
  auto y = torch::empty_like(x);
  std::vector<float> values(count), scale(cols), shift(cols);
  const Views views{values.data(), scale.data(), shift.data()};
  gather_rows<<<(count + 255) / 256, 256>>>(views, x.data_ptr<float>(), weight.data_ptr<float>(),
                                            bias.data_ptr<float>(), count, cols);
  for (int r = 0; r < rows; ++r) {
    float* row = values.data() + static_cast<long>(r) * cols;
    double mean = 0.0, var = 0.0;
    for (int c = 0; c < cols; ++c) mean += row[c];
    mean /= cols;
    for (int c = 0; c < cols; ++c) var += (row[c] - mean) * (row[c] - mean);
    const double factor = 1.0 / std::sqrt(var / cols + eps);
    for (int c = 0; c < cols; ++c) row[c] = static_cast<float>((row[c] - mean) * factor * scale[c] + shift[c]);
  }
  scatter_rows<<<(count + 255) / 256, 256>>>(views, y.data_ptr<float>(), count);
  return y;
}
"""
ext = load_inline(name="rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["run_norm"], verbose=False)

class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(features))
        self.bias = nn.Parameter(torch.randn(features))
        self.eps = 1e-5
        self.ext = ext

    def forward(self, x):
        return self.ext.run_norm(x, self.weight, self.bias, self.eps)
