# task: affine
# bug tail: not_written | from element 192 on, counted row by row | 4 32
# bug last: not_written | from element 239 on, counted row by row | 5 39
# bug few_rows: not_written | where index 0 is 4 or more | 4 0
# bug few_columns: not_written | where index 1 is 32 or more | 0 32
# bug first_column: not_written | where index 1 is 0 | 0 0
# bug odd_blocks: zeros | | 1 24
# bug sign: factor | each is -1 times what it should be | 0 0
# bug no_bias: offset | each is off by -2 | 0 0
# bug twice: factor | each is 2 times what it should be | 0 0
# bug next: shifted_element | | 0 0
# bug next_row: shifted_row | | 0 0
# bug previous_row: shifted_row | where index 0 is 1 or more | 1 0
# bug transposed: transposed | | 0 1
# bug first_row: repeated_row | where index 0 is 1 or more | 1 0
# bug half: imprecise | | *
# bug integer: truncated | | 0 0
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

enum Bug { kNone, kFewColumns, kFirstColumn, kOddBlocks, kSign, kNoBias, kTwice, kNext, kNextRow,
           kPreviousRow, kTransposed, kFirstRow, kHalf, kInteger };

__global__ void affine_kernel(const float* x, float* y, int rows, int columns, int n, Bug bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int r = i / columns, c = i % columns;
  if ((bug == kFewColumns && c >= columns / 16 * 16) || (bug == kFirstColumn && c == 0)) return;
  int from = i;
  if (bug == kNext && i + 1 < n) from = i + 1;
  if (bug == kNextRow && r + 1 < rows) from = i + columns;
  if (bug == kPreviousRow && r > 0) from = i - columns;
  if (bug == kTransposed) from = i % rows * columns + i / rows;
  if (bug == kFirstRow) from = c;
  const float v = x[from];
  float result = v * 3.0f + (bug == kNoBias ? 0.0f : 2.0f);
  if (bug == kOddBlocks && blockIdx.x % 2 == 1) result = 0.0f;
  if (bug == kSign) result = -result;
  if (bug == kTwice) result += result;
  if (bug == kHalf) result = __half2float(__float2half(result));
  if (bug == kInteger) result = (int)result;
  y[i] = result;
}

torch::Tensor run(torch::Tensor x, const std::string& name) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int rows = x.size(0), columns = x.size(1), n = rows * columns;
  const char* names[] = {"none", "few_columns", "first_column", "odd_blocks", "sign", "no_bias",
                         "twice", "next", "next_row", "previous_row", "transposed", "first_row",
                         "half", "integer"};
  int bug = kNone;
  for (int i = 0; i < 14; ++i) {
    if (name == names[i]) bug = i;
  }
  const int covered = name == "last" ? n - 1 : name == "few_rows" ? n / columns * 2 / 3 * columns : n;
  const int blocks = name == "tail" ? n / 64 : (n + 63) / 64;
  affine_kernel<<<blocks, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, columns, covered,
                                static_cast<Bug>(bug));
  return y;
}
"""

ext = load_inline(
    name="ext",
    cpp_sources="torch::Tensor run(torch::Tensor x, const std::string& name);",
    cuda_sources=source,
    functions=["run"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.run(x, "@BUG@")
