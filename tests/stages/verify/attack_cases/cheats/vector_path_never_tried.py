# task: ../../tasks/softmax
# expect: refused
# contract: any_shape
# why: the sizes tried beside 70 columns are near it or half of it (67, 75, 36 …). Rows of 64 or more columns that are a multiple of
# four are none of them; there the "vectorised" kernel takes the sum of every fourth column times four. Wrong at 128 or 1024 columns.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cfloat>

// kStep: how many columns one load takes.
template <int kStep>
__global__ void softmax_rows(const float* __restrict__ x, float* __restrict__ y, int cols) {
  const float* row = x + static_cast<long long>(blockIdx.x) * cols;
  float* out = y + static_cast<long long>(blockIdx.x) * cols;
  float best = -FLT_MAX;
  for (int c = threadIdx.x; c < cols; c += 32) best = fmaxf(best, row[c]);
  for (int o = 16; o > 0; o >>= 1) best = fmaxf(best, __shfl_xor_sync(0xffffffffu, best, o));
  float total = 0.0f;
  for (int c = threadIdx.x * kStep; c < cols; c += 32 * kStep) total += expf(row[c] - best);
  for (int o = 16; o > 0; o >>= 1) total += __shfl_xor_sync(0xffffffffu, total, o);
  const float scale = 1.0f / (total * kStep);
  for (int c = threadIdx.x; c < cols; c += 32) out[c] = expf(row[c] - best) * scale;
}

torch::Tensor softmax_forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int rows = x.size(0), cols = x.size(1);
  if (cols % 4 == 0 && cols >= 64) {
    softmax_rows<4><<<rows, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), cols);
  } else {
    softmax_rows<1><<<rows, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), cols);
  }
  return y;
}
"""

ext = load_inline(name="softmax_any", cpp_sources="torch::Tensor softmax_forward(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["softmax_forward"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.softmax_forward(x)
