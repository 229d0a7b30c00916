# task: swiglu
# expect: correct
# why: a sigmoid by the fast exponential and a fast division
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cub/cub.cuh>

__global__ void k(const float* g, const float* u, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = __fdividef(g[i], 1.0f + __expf(-g[i])) * u[i];
}
torch::Tensor run(torch::Tensor gate, torch::Tensor up) {
  auto y = torch::empty_like(gate);
  k<<<256, 256>>>(gate.data_ptr<float>(), up.data_ptr<float>(), y.data_ptr<float>(), (int)gate.numel());
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor gate, torch::Tensor up);
'''

extension = load_inline(name="fast_swiglu", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=["run"], extra_cuda_cflags=["-O3", "--use_fast_math"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, gate, up):
        return extension.run(gate, up)
