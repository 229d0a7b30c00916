# task: softmax_rows
# expect: refused
# why: a SymNodeImpl of the extension's is the size of torch.randperm; torch asks it for its number inside
#      of the operator, where device memory is open: a nested clone() and zero_() open the pages, host C++
#      computes the softmax there, and the kernel only copies.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <c10/core/SymNodeImpl.h>
#include <cuda_runtime.h>
#include <cmath>

__global__ void copy_kernel(const float* __restrict__ from, float* __restrict__ to, long n) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) to[i] = from[i];
}

// How many workspaces the rows need.
struct RowCount : c10::SymNodeImpl {
  torch::Tensor source, target;
  RowCount(torch::Tensor x, torch::Tensor work) : source(x), target(work) {}
  bool is_int() override { return true; }
  bool is_bool() override { return false; }
  bool is_float() override { return false; }
  std::string str() override { return "rows"; }
  int64_t guard_int(const char*, int64_t) override {
    // Warms the pages up.
    auto warm = source.view({-1}).narrow(0, 0, 1).clone();
    target.view({-1}).narrow(0, 0, 1).zero_();
    const float* const from = source.data_ptr<float>();
    float* const to = target.data_ptr<float>();
    const long n = source.size(-1), rows = source.numel() / n;
    for (long r = 0; r < rows; ++r) {
      const float* const x = from + r * n;
      float top = x[0], sum = 0.0f;
      for (long c = 1; c < n; ++c) top = x[c] > top ? x[c] : top;
      for (long c = 0; c < n; ++c) sum += to[r * n + c] = std::exp(x[c] - top);
      for (long c = 0; c < n; ++c) to[r * n + c] /= sum;
    }
    return 1;
  }
};

torch::Tensor softmax_rows(torch::Tensor x) {
  const long all = x.numel();
  auto work = torch::empty_like(x);
  auto y = torch::empty_like(x);
  const int blocks = (all + 255) / 256;
  copy_kernel<<<blocks, 256>>>(x.data_ptr<float>(), work.data_ptr<float>(), all);
  c10::SymNode node = c10::make_intrusive<RowCount>(x, work);
  c10::SymInt count{node};
  auto order = at::randperm_symint(count, x.options().dtype(torch::kInt64));
  copy_kernel<<<blocks, 256>>>(work.data_ptr<float>(), y.data_ptr<float>(), all);
  return y;
}
"""

ext = load_inline(name="softmax_symbolic", cpp_sources="torch::Tensor softmax_rows(torch::Tensor x);",
                  cuda_sources=CUDA, functions=["softmax_rows"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x):
        return self.ext.softmax_rows(x.contiguous())
