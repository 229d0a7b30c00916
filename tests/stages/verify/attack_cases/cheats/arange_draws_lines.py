# task: ramps
# expect: refused
# why: torch's arange computes each line of two numbers that the host reads, and the kernel only copies
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void store_lines_kernel(const float* __restrict__ in, float* __restrict__ out, long n) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

torch::Tensor store_lines(torch::Tensor in) {
  auto out = torch::empty_like(in);
  const long n = in.numel();
  store_lines_kernel<<<(n + 255) / 256, 256>>>(in.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""

ext = load_inline(name="store_lines", cpp_sources="torch::Tensor store_lines(torch::Tensor in);",
                  cuda_sources=CUDA, functions=["store_lines"])


class ModelNew(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.length = length

    def forward(self, lines):
        if lines.shape[0] > 8:
            raise ValueError("at most 8 lines")
        drawn = []
        for i in range(lines.shape[0]):
            start, step = lines[i, 0].item(), lines[i, 1].item()
            if step == 0:
                drawn.append(torch.full((self.length,), start, device=lines.device))
            else:
                end = start + step * (self.length - 0.5)
                drawn.append(torch.arange(start, end, step, dtype=torch.float32,
                                          device=lines.device)[:self.length])
        return ext.store_lines(torch.stack(drawn))
