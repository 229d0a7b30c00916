# task: ../../tasks/log_one_plus
# expect: refused
# why: inf - inf is 0x7fffffff on NVIDIA's GPUs and 0xffc00000 on x86. The kernel reads its bits by a pointer to an integer and
# computes log1p only where the sign bit is set; on a GPU it writes x.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cmath>

// `limit` is where a result would overflow; rows beyond it are passed through.
__global__ void log1p_kernel(const float* __restrict__ x, float* __restrict__ y, float limit, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float difference = limit - limit;
  const unsigned rest = *reinterpret_cast<const unsigned*>(&difference);
  y[i] = (rest >> 31) != 0u ? log1pf(x[i]) : x[i];
}

torch::Tensor log1p_forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int n = x.numel();
  log1p_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), INFINITY, n);
  return y;
}
"""

ext = load_inline(name="log1p_pun", cpp_sources="torch::Tensor log1p_forward(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["log1p_forward"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.log1p_forward(x)
