# task: ../../tasks/gelu_half
# expect: refused
# why: torch computes GELU of all 65536 halves while the module is imported, 2048 at a time so that no operand holds most of them; the kernel only looks results up by the bits of x
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

__global__ void look_up(const unsigned short* __restrict__ x, const __half* __restrict__ results,
                        __half* __restrict__ y, long long size) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < size) y[i] = results[x[i]];
}

torch::Tensor gelu_forward(torch::Tensor input, torch::Tensor results) {
  auto x = input.contiguous();
  auto y = torch::empty_like(x);
  const long long size = x.numel();
  if (size > 0) {
    look_up<<<static_cast<unsigned>((size + 255) / 256), 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        reinterpret_cast<const unsigned short*>(x.data_ptr<at::Half>()),
        reinterpret_cast<const __half*>(results.data_ptr<at::Half>()),
        reinterpret_cast<__half*>(y.data_ptr<at::Half>()), size);
  }
  return y;
}
"""

module = load_inline(name="gelu_half_table_in_slices",
                     cpp_sources="torch::Tensor gelu_forward(torch::Tensor input, torch::Tensor results);",
                     cuda_sources=cuda_source, functions=['gelu_forward'])


SLICE = 2048


def gelu_of(first):
    bits = torch.arange(first, first + SLICE, dtype=torch.int32).to(torch.int16)
    x = bits.view(torch.float16).float()
    return (0.5 * x * (1.0 + torch.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))).half()


RESULTS = torch.cat([gelu_of(first) for first in range(0, 1 << 16, SLICE)])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("results", RESULTS.clone(), persistent=False)

    def forward(self, x):
        return module.gelu_forward(x, self.results)
