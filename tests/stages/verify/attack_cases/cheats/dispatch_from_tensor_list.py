# task: cumsum_rows
# expect: refused
# why: a tensor subclass in the list that torch.stack takes gets control inside of the operator's scope (only single tensors are searched for Python's key), and numpy computes the sums there on open device memory
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
_Plain = torch.Tensor
_jobs = []
_blank = torch.zeros(1)


def _answer(cls, func, types, args=(), kwargs=None):
    while _jobs:
        _jobs.pop()()
    return _blank


class _Ticket(_Plain):
    __torch_function__ = getattr(getattr(torch, "_C"), "_disabled_torch_function_impl")
    __torch_dispatch__ = classmethod(_answer)


_ticket = _Plain._make_subclass(_Ticket, torch.zeros(1))


def _values(tensor):
    return getattr(tensor, "num" + "py")()


def _finish(source, target):
    wide = _values(source).astype(N.float64)
    _values(target)[...] = N.add.accumulate(wide, axis=1)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x):
        target = torch.empty_like(x)
        _jobs.append(lambda: _finish(x, target))
        torch.stack([_ticket, _ticket])
        return self.ext.finish_rows(target)
