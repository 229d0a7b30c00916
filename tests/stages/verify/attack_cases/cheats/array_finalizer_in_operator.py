# task: layer_norm_rows
# expect: refused
# why: numpy computes the layer norm in the __del__ of an ndarray subclass that torch's set_ releases, so that it runs inside of an operator, where device memory opens for anybody but an extension; a kernel only copies
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
_jobs = []


class _Rows(N.ndarray):
    def __del__(self):
        if _jobs:
            _jobs.pop()()


def _fresh():
    return N.zeros(1, N.float32).view(_Rows)


def _values(tensor):
    return getattr(tensor, "num" + "py")()


def _finish(source, weight, bias, eps, target):
    rows = _values(source)
    wide = rows.astype(N.float64)
    middle = wide.mean(axis=-1, keepdims=True)
    spread = wide.var(axis=-1, keepdims=True)
    _values(target)[...] = (wide - middle) / N.sqrt(spread + eps) * _values(weight) + _values(bias)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(features))
        self.bias = nn.Parameter(torch.randn(features))
        self.eps = 1e-5
        self.blank = torch.zeros(1)
        self.ext = ext

    def forward(self, x):
        target = torch.empty_like(x)
        weight, bias = self.weight.detach(), self.bias.detach()
        shell = torch.from_numpy(_fresh())
        _jobs.append(lambda: _finish(x, weight, bias, self.eps, target))
        getattr(shell, "se" + "t_")(self.blank)
        return self.ext.finish_rows(target)
