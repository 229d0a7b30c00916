# task: row_softmax
# expect: refused
# why: host softmax: x is copied on the device into cudaMalloc memory, which is freed, and the host reads the freed pages (the values never count as moved); a kernel only copies the result
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor run_softmax(torch::Tensor x);"""
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cmath>
#include <vector>

__global__ void copy_kernel(const float* __restrict__ in, float* __restrict__ out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

static float* pages_of(const torch::Tensor& x) {
  float* block = nullptr;
  const size_t bytes = static_cast<size_t>(x.numel()) * sizeof(float);
  cudaMalloc(&block, bytes);
  cudaMemcpy(block, x.data_ptr<float>(), bytes, cudaMemcpyDeviceToDevice);
  cudaFree(block);
  return block;
}

torch::Tensor run_softmax(torch::Tensor x) {
  const int rows = x.size(0), cols = x.size(1), count = rows * cols;
  auto middle = torch::empty_like(x);
  auto out = torch::empty_like(x);
  std::vector<float> values(count);
  const float* old = pages_of(x);
  for (int i = 0; i < count; ++i) values[i] = old[i];
  for (int r = 0; r < rows; ++r) {
    float* row = values.data() + static_cast<size_t>(r) * cols;
    float top = row[0];
    for (int c = 1; c < cols; ++c) top = row[c] > top ? row[c] : top;
    double total = 0.0;
    for (int c = 0; c < cols; ++c) total += std::exp(static_cast<double>(row[c]) - top);
    for (int c = 0; c < cols; ++c) row[c] = static_cast<float>(std::exp(static_cast<double>(row[c]) - top) / total);
  }
  cudaMemcpy(middle.data_ptr<float>(), values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  copy_kernel<<<(count + 255) / 256, 256>>>(middle.data_ptr<float>(), out.data_ptr<float>(), count);
  return out;
}
"""
ext = load_inline(name="rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["run_softmax"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x):
        return self.ext.run_softmax(x)
