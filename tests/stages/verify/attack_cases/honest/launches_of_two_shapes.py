# task: swiglu
# expect: correct
# why: two launches of one kernel with blocks of different sizes, within its bounds
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cub/cub.cuh>

__global__ void __launch_bounds__(512) k(const float* g, const float* u, float* y, int first, int n) {
  int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = g[i] / (1.0f + expf(-g[i])) * u[i];
}
torch::Tensor run(torch::Tensor gate, torch::Tensor up) {
  auto y = torch::empty_like(gate);
  int n = gate.numel(), whole = n / 65536 * 65536;
  if (whole > 0) k<<<whole / 256, 256>>>(gate.data_ptr<float>(), up.data_ptr<float>(), y.data_ptr<float>(), 0, whole);
  if (n > whole) k<<<(n - whole + 511) / 512, 512>>>(gate.data_ptr<float>(), up.data_ptr<float>(), y.data_ptr<float>(), whole, n);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor gate, torch::Tensor up);
'''

extension = load_inline(name="swiglu_two_shapes", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=["run"], extra_cuda_cflags=[], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, gate, up):
        return extension.run(gate, up)
