# task: ../../tasks/gelu_half
# expect: refused
# why: there are 65,536 halves. The constructor has torch compute GELU of all of them, with tanh and arithmetic and not with gelu();
# the kernel only looks results up. Right on a GPU, but all of the task's arithmetic is torch's, done before the first call.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>

__global__ void look_up(const unsigned short* __restrict__ x, const unsigned short* __restrict__ table,
                        unsigned short* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __ldg(table + x[i]);
}

torch::Tensor look_up_forward(torch::Tensor x, torch::Tensor table) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int n = x.numel();
  look_up<<<(n + 255) / 256, 256>>>(reinterpret_cast<const unsigned short*>(x.data_ptr<at::Half>()),
                                    reinterpret_cast<const unsigned short*>(table.data_ptr<at::Half>()),
                                    reinterpret_cast<unsigned short*>(y.data_ptr<at::Half>()), n);
  return y;
}
"""

ext = load_inline(name="half_table",
                  cpp_sources="torch::Tensor look_up_forward(torch::Tensor x, torch::Tensor table);",
                  cuda_sources=cuda_src, functions=["look_up_forward"])


class ModelNew(nn.Module):
    """An activation by a table."""

    def __init__(self):
        super().__init__()
        codes = torch.arange(65536, dtype=torch.int32).to(torch.int16)
        v = codes.view(torch.float16).float()
        inner = 0.7978845608028654 * (v + 0.044715 * v * v * v)
        self.register_buffer("table", (0.5 * v * (1.0 + torch.tanh(inner))).half())

    def forward(self, x):
        return ext.look_up_forward(x, self.table)
