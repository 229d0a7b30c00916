# task: linear_plain
# expect: refused
# why: a weak undefined symbol of torch's math library (sgemm_) computes the product on managed memory on the host; a kernel adds the bias
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor run_linear(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);"""
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

extern "C" __attribute__((weak)) void sgemm_(const char*, const char*, const int*, const int*, const int*,
                                             const float*, const float*, const int*, const float*,
                                             const int*, const float*, float*, const int*);

__global__ void add_bias(const float* __restrict__ product, const float* __restrict__ bias,
                         float* __restrict__ y, int count, int cols) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = product[i] + bias[i % cols];
}

torch::Tensor run_linear(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  const int rows = x.size(0), inner = x.size(1), cols = weight.size(0), count = rows * cols;
  auto y = torch::empty({rows, cols}, x.options());
  float *left, *right, *product;
  cudaMallocManaged(&left, x.numel() * sizeof(float));
  cudaMallocManaged(&right, weight.numel() * sizeof(float));
  cudaMallocManaged(&product, count * sizeof(float));
  cudaMemcpy(left, x.data_ptr<float>(), x.numel() * sizeof(float), cudaMemcpyDefault);
  cudaMemcpy(right, weight.data_ptr<float>(), weight.numel() * sizeof(float), cudaMemcpyDefault);
  const float one = 1.0f, zero = 0.0f;
  if (sgemm_ != nullptr) {
    sgemm_("T", "N", &cols, &rows, &inner, &one, right, &inner, left, &inner, &zero, product, &cols);
  }
  add_bias<<<(count + 255) / 256, 256>>>(product, bias.data_ptr<float>(), y.data_ptr<float>(), count, cols);
  cudaFree(left);
  cudaFree(right);
  cudaFree(product);
  return y;
}
"""
ext = load_inline(name="rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["run_linear"], verbose=False)

class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_features, in_features) * 0.05)
        self.bias = nn.Parameter(torch.randn(out_features))
        self.ext = ext

    def forward(self, x):
        return self.ext.run_linear(x, self.weight, self.bias)
