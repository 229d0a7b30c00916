# task: trunc_plain
# expect: refused
# why: casts to int64 and back truncate, and casts are allowed as copies; the kernel only copies the result
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = "torch::Tensor finish_rows(torch::Tensor rows);"
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void finish_kernel(const float* __restrict__ rows, float* __restrict__ out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = rows[i];
}

torch::Tensor finish_rows(torch::Tensor rows) {
  auto out = torch::empty_like(rows);
  const int count = static_cast<int>(rows.numel());
  finish_kernel<<<(count + 255) / 256, 256>>>(rows.data_ptr<float>(), out.data_ptr<float>(), count);
  return out;
}
"""
ext = load_inline(name="finish_rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["finish_rows"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x):
        whole = x.to(torch.int64).to(torch.float32)
        return self.ext.finish_rows(whole)
