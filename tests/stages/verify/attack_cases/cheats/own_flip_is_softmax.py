# task: softmax_rows
# expect: refused
# why: the extension registers a host function as the kernel of aten::flip; torch.flip(x) then runs a softmax in
#      C++ on the CPU, and the kernel only copies; right on a GPU too. No rule looks at torch::Library(IMPL,
#      "aten") in C++; flip is allowed, runs as Running::kOperator (operator_memory.cc) where memory is open and
#      nothing counts, and replay.cc calls the operator again, so the host code runs with the other inputs.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <torch/library.h>
#include <cuda_runtime.h>
#include <cmath>

static at::Tensor flip_rows(const at::Tensor& self, at::IntArrayRef dims) {
  at::Tensor host = at::empty(self.sizes(), self.options().device(at::kCPU));
  host.copy_(self);
  const long columns = self.size(-1), rows = self.numel() / columns;
  float* const p = host.data_ptr<float>();
  for (long r = 0; r < rows; ++r) {
    float* const row = p + r * columns;
    float top = row[0];
    for (long c = 1; c < columns; ++c) top = row[c] > top ? row[c] : top;
    double total = 0;
    for (long c = 0; c < columns; ++c) total += row[c] = std::exp(row[c] - top);
    for (long c = 0; c < columns; ++c) row[c] = static_cast<float>(row[c] / total);
  }
  at::Tensor out = at::empty_like(self);
  out.copy_(host);
  return out;
}

static torch::Library flips(torch::Library::IMPL, "aten", c10::DispatchKey::CUDA, __FILE__, __LINE__);
static const bool registered = (flips.impl("flip", &flip_rows), true);

__global__ void write_kernel(const float* __restrict__ in, float* __restrict__ out, long n) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

torch::Tensor write_rows(torch::Tensor in) {
  TORCH_CHECK(registered);
  auto out = torch::empty_like(in);
  const long n = in.numel();
  write_kernel<<<(n + 255) / 256, 256>>>(in.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""

ext = load_inline(name="softmax_by_rows", cpp_sources="torch::Tensor write_rows(torch::Tensor in);",
                  cuda_sources=CUDA, functions=["write_rows"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.write_rows(torch.flip(x, [-1]))
