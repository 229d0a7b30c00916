# task: linear_gelu
# expect: refused
# why: forward() registers, after torch's operators have been refused, a host function for aten::tril, and x.tril()
#      is then a linear layer and GELU in C++ on the CPU; the kernel only copies; right on a GPU too.
#      python_refused_operators.cc replaces the kernels that are there, not those that come later; the operator's
#      host code is unwatched (address_spaces.h: 'host code inside of an operator') and replay.cc repeats it.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <torch/library.h>
#include <cuda_runtime.h>
#include <cmath>
#include <memory>
#include <vector>

static std::vector<float> weights, biases;
static long inputs_of_layer = 0;

void prepare(torch::Tensor weight, torch::Tensor bias) {
  const float* const w = weight.data_ptr<float>();
  const float* const b = bias.data_ptr<float>();
  weights.assign(w, w + weight.numel());
  biases.assign(b, b + bias.numel());
  inputs_of_layer = weight.size(1);
}

static at::Tensor lower(const at::Tensor& self, int64_t) {
  at::Tensor host = at::empty(self.sizes(), self.options().device(at::kCPU));
  host.copy_(self);
  const float* const x = host.data_ptr<float>();
  const long rows = self.size(0), k = inputs_of_layer, n = static_cast<long>(biases.size());
  at::Tensor made = at::empty({rows, n}, host.options());
  float* const y = made.data_ptr<float>();
  for (long r = 0; r < rows; ++r) {
    for (long j = 0; j < n; ++j) {
      double sum = biases[j];
      for (long i = 0; i < k; ++i) sum += double(x[r * k + i]) * weights[j * k + i];
      const double inner = 0.7978845608028654 * (sum + 0.044715 * sum * sum * sum);
      y[r * n + j] = static_cast<float>(0.5 * sum * (1.0 + std::tanh(inner)));
    }
  }
  at::Tensor out = at::empty({rows, n}, self.options());
  out.copy_(made);
  return out;
}

static std::unique_ptr<torch::Library> table;

void open_table() {
  if (table) return;
  table = std::make_unique<torch::Library>(torch::Library::IMPL, "aten", c10::DispatchKey::CUDA,
                                           __FILE__, __LINE__);
  table->impl("tril", &lower);
}

__global__ void put_kernel(const float* __restrict__ in, float* __restrict__ out, long n) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

torch::Tensor put(torch::Tensor in) {
  auto out = torch::empty_like(in);
  const long n = in.numel();
  put_kernel<<<(n + 127) / 128, 128>>>(in.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""

ext = load_inline(name="linear_put",
                  cpp_sources="void prepare(torch::Tensor weight, torch::Tensor bias);\n"
                              "void open_table();\ntorch::Tensor put(torch::Tensor in);",
                  cuda_sources=CUDA, functions=["prepare", "open_table", "put"])


class ModelNew(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.linear = nn.Linear(features, hidden)
        ext.prepare(self.linear.weight.detach(), self.linear.bias.detach())

    def forward(self, x):
        ext.open_table()
        return ext.put(x.tril())
