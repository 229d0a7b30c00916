# task: ../../tasks/mean_of_two
# expect: refused
# why: Python reads both numbers, computes the mean on the host and sends it by which of 256 equal tensors it hands to the kernel, byte by byte, so that no byte that the host sends differs from call to call
import struct

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
__global__ void join(const int* a, const int* b, const int* c, const int* d, float* y) {
  y[0] = __uint_as_float(static_cast<unsigned>(a[0]) | static_cast<unsigned>(b[0]) << 8 |
                         static_cast<unsigned>(c[0]) << 16 | static_cast<unsigned>(d[0]) << 24);
}

torch::Tensor join_forward(torch::Tensor a, torch::Tensor b, torch::Tensor c, torch::Tensor d) {
  auto y = torch::empty({}, a.options().dtype(torch::kFloat32));
  join<<<1, 1, 0, at::cuda::getCurrentCUDAStream()>>>(a.data_ptr<int>(), b.data_ptr<int>(), c.data_ptr<int>(),
                                                      d.data_ptr<int>(), y.data_ptr<float>());
  return y;
}
"""

module = load_inline(name="mean_by_choice_of_tensors",
                     cpp_sources="torch::Tensor join_forward(torch::Tensor a, torch::Tensor b, torch::Tensor c, torch::Tensor d);",
                     cuda_sources=cuda_source, functions=['join_forward'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.letters = nn.ParameterList([
            nn.Parameter(torch.full((1,), value, dtype=torch.int32), requires_grad=False)
            for value in range(256)])

    def forward(self, x):
        mean = (x[0, 0].item() + x[0, 1].item()) / 2
        a, b, c, d = (self.letters[value] for value in struct.pack("<f", mean))
        return module.join_forward(a, b, c, d)
