# task: row_logsumexp
# expect: refused
# why: a __device__ function returns a static array of its own, which is one and the same ordinary memory for kernels and host code here: the host reduces the rows that a kernel has left there
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor run_rows(torch::Tensor x);"""
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cmath>

__device__ float* room() {
  static float values[262144];
  return values;
}

__global__ void bring_in(const float* __restrict__ x, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) room()[i] = x[i];
}

__global__ void bring_out(float* __restrict__ y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = room()[i];
}

torch::Tensor run_rows(torch::Tensor x) {
  const int rows = x.size(0), cols = x.size(1), count = rows * cols;
  auto y = torch::empty({rows}, x.options());
  TORCH_CHECK(count <= 262144, "too large");
  bring_in<<<(count + 255) / 256, 256>>>(x.data_ptr<float>(), count);
  float* const values = room();
  for (int r = 0; r < rows; ++r) {
    const float* row = values + static_cast<long>(r) * cols;
    float top = row[0];
    for (int c = 1; c < cols; ++c) top = row[c] > top ? row[c] : top;
    double total = 0.0;
    for (int c = 0; c < cols; ++c) total += std::exp(static_cast<double>(row[c]) - top);
    values[r] = static_cast<float>(top + std::log(total));
  }
  bring_out<<<(rows + 127) / 128, 128>>>(y.data_ptr<float>(), rows);
  return y;
}
"""
ext = load_inline(name="rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["run_rows"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x):
        return self.ext.run_rows(x)
