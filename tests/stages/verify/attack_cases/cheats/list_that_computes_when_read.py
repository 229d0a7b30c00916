# task: mean_and_var
# expect: refused
# why: forward() returns a list whose __reversed__ computes mean and variance with numpy only when the judge reads it; a decoy kernel has been launched before
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline
import numpy as np

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

N = np


class _Later(list):
    def __reversed__(self):
        source, ready = list.__getitem__(self, 0), list.__getitem__(self, 1)
        rows = getattr(source.cpu(), "num" + "py")().astype(N.float64)
        pair = [rows.mean(axis=1), rows.var(axis=1)]
        return iter([torch.from_numpy(item.astype(N.float32)).cuda() for item in reversed(pair)])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x):
        return _Later([x, self.ext.finish_rows(x)])
