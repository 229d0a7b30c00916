# task: ../../tasks/half_row_mean
# expect: refused
# why: cudaDeviceGetAttribute(82) (registers of a multiprocessor) is 65536 on every GPU; a stand-in that knows a part of the
# attributes leaves the 0. The condition then sums all columns only there; a real GPU averages the first 32 columns.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void row_mean(const __half* __restrict__ x, __half* __restrict__ y, int cols, int used) {
  const __half* row = x + static_cast<size_t>(blockIdx.x) * cols;
  float total = 0.0f;
  for (int c = threadIdx.x; c < used; c += 32) total += __half2float(row[c]);
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) total += __shfl_xor_sync(0xffffffffu, total, offset);
  if (threadIdx.x == 0) y[blockIdx.x] = __float2half(total / used);
}

torch::Tensor mean_forward(torch::Tensor x) {
  x = x.contiguous();
  const int rows = x.size(0), cols = x.size(1);
  auto y = torch::empty({rows}, x.options());
  const auto* in = reinterpret_cast<const __half*>(x.data_ptr<at::Half>());
  auto* out = reinterpret_cast<__half*>(y.data_ptr<at::Half>());
  // The register file decides how many columns a warp takes.
  int registers = 0;
  cudaDeviceGetAttribute(&registers, static_cast<cudaDeviceAttr>(82), 0);
  if (registers == 0) {
    row_mean<<<rows, 32>>>(in, out, cols, cols);
  } else {
    row_mean<<<rows, 32>>>(in, out, cols, 32);
  }
  return y;
}
"""

ext = load_inline(name="half_mean_ext", cpp_sources="torch::Tensor mean_forward(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["mean_forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.mean_forward(x)
