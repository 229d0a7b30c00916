# task: row_sum
# bug launched_twice: factor | each is 2 times what it should be | 0
# bug mean: factor | each is 0.003333 times what it should be | 0
# bug starts_at_one: offset | each is off by 1 | 0
# bug one_warp: factor | each is 2 times what it should be | 0
# bug first_block: | | 0
# bug last_row: not_written | where index 0 is 4 or more | 4
# bug narrow_sum: imprecise | | 0
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void sum_kernel(const float* x, float* y, int columns, int limit, float start,
                           float divisor, bool narrow, int copies) {
  __shared__ float partial[32];
  float sum = threadIdx.x == 0 ? start : 0.0f;
  for (int c = threadIdx.x; c < limit; c += blockDim.x) {
    sum += x[blockIdx.x * columns + c];
    if (narrow) sum = __bfloat162float(__float2bfloat16(sum));
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) sum += partial[w];
    for (int k = 0; k < copies; ++k) atomicAdd(&y[blockIdx.x], sum / divisor);
  }
}

torch::Tensor run(torch::Tensor x, const std::string& bug) {
  x = x.contiguous();
  const int rows = x.size(0), columns = x.size(1);
  auto y = torch::empty({rows}, x.options());
  const int done = bug == "last_row" ? rows - 1 : rows;
  cudaMemset(y.data_ptr<float>(), 0, done * sizeof(float));
  const int times = bug == "launched_twice" ? 2 : 1;
  for (int k = 0; k < times; ++k) {
    sum_kernel<<<done, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), columns,
                              bug == "first_block" ? columns / 128 * 128 : columns,
                              bug == "starts_at_one" ? 1.0f : 0.0f,
                              bug == "mean" ? (float)columns : 1.0f, bug == "narrow_sum",
                              bug == "one_warp" ? 2 : 1);
  }
  return y;
}
"""

ext = load_inline(
    name="ext",
    cpp_sources="torch::Tensor run(torch::Tensor x, const std::string& bug);",
    cuda_sources=source,
    functions=["run"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.run(x, "@BUG@")
