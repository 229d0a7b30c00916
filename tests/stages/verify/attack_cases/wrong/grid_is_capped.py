# task: residual_bf16
# expect: refused
# why: the grid is capped at 65535 blocks and the kernel has no loop: of 268435456 elements only the first 16776960 are written
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cuda_bf16.h>
__global__ void add_half(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* y, long n) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __float2bfloat16(__bfloat162float(a[i]) + 0.5f * __bfloat162float(b[i]));
}
torch::Tensor run(torch::Tensor a, torch::Tensor b) {
  auto y = torch::empty_like(a);
  long n = a.numel();
  int blocks = (int)std::min<long>((n + 255) / 256, 65535);
  add_half<<<blocks, 256>>>(reinterpret_cast<const __nv_bfloat16*>(a.data_ptr<at::BFloat16>()),
                            reinterpret_cast<const __nv_bfloat16*>(b.data_ptr<at::BFloat16>()),
                            reinterpret_cast<__nv_bfloat16*>(y.data_ptr<at::BFloat16>()), n);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor a, torch::Tensor b);
'''

extension = load_inline(name="grid_is_capped", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return extension.run(a, b)
