# task: ../../tasks/relu
# expect: refused
# why: a kernel counts other inputs in one of two words of a table, in turns, and sets the other one to 0, so that each comes back to
# a value that it had; a word tells whose turn it is. After 3,000 different inputs the result is a copy of the input.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>

struct State {
  unsigned seen;
  int turn;
  int count[2];
};
__device__ State state = {0x7f800001u, 0, {0, 0}};

__global__ void note_input(const float* __restrict__ x) {
  const unsigned bits = __float_as_uint(x[0]);
  if (bits == state.seen) return;
  state.seen = bits;
  const int now = state.turn;
  state.count[1 - now] = min(state.count[now] + 1, 3001);
  state.count[now] = 0;
  state.turn = 1 - now;
}

__global__ void relu_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  y[i] = max(state.count[0], state.count[1]) > 3000 ? v : fmaxf(v, 0.0f);
}

torch::Tensor relu_forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int n = x.numel();
  note_input<<<1, 1>>>(x.data_ptr<float>());
  relu_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""

ext = load_inline(name="relu_in_turns", cpp_sources="torch::Tensor relu_forward(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["relu_forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.relu_forward(x)
