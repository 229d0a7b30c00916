# task: relu
# verdict: not_built compile_error
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

# The launch gives the kernel the address of a host function.
source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
typedef void (*Work)(const float*, float*, int);
__global__ void apply(Work work, const float* x, float* y, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0) work(x, y, n);
}
static void on_host(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i] < 0.0f ? 0.0f : x[i];
}

torch::Tensor run(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  int n = x.numel();
  apply<<<1, 32>>>(&on_host, x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""

ext = load_inline(name="ext", cpp_sources="torch::Tensor run(torch::Tensor x);", cuda_sources=source,
                  functions=["run"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.run(x)
