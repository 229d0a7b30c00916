# task: matmul
# verdict: not_built compile_error
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

extern "C" void SGEMM(const char*, const char*, const int*, const int*, const int*, const float*,
                      const float*, const int*, const float*, const int*, const float*, float*,
                      const int*);

__global__ void multiply(const float* a, const float* b, float* c, int rows, int inner, int columns) {
  const float one = 1.0f, zero = 0.0f;
  SGEMM("N", "N", &columns, &rows, &inner, &one, b, &columns, a, &inner, &zero, c, &columns);
}

torch::Tensor run(torch::Tensor a, torch::Tensor b) {
  a = a.contiguous();
  b = b.contiguous();
  auto c = torch::empty({a.size(0), b.size(1)}, a.options());
  multiply<<<1, 1>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), a.size(0),
                     a.size(1), b.size(1));
  return c;
}
"""

ext = load_inline(name="ext", cpp_sources="torch::Tensor run(torch::Tensor a, torch::Tensor b);",
                  cuda_sources=source, functions=["run"])


class ModelNew(nn.Module):
    def forward(self, a, b):
        return ext.run(a, b)
