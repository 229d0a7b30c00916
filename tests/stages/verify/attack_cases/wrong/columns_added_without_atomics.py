# task: column_mean_b
# expect: refused
# why: sixteen blocks add their part of a column to the output with a plain += in memory: updates are lost on a GPU; where
#      blocks run one after the other the sum is complete
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
__global__ void add_rows(const float* x, float* y, int rows, int cols, int part) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  int begin = blockIdx.y * part, end = min(rows, begin + part);
  float sum = 0.f;
  for (int r = begin; r < end; ++r) sum += x[(size_t)r * cols + c];
  y[c] += sum / rows;
}
torch::Tensor column_mean(torch::Tensor x) {
  int rows = x.size(0), cols = x.size(1), part = 128;
  auto y = torch::zeros({cols}, x.options());
  add_rows<<<dim3((cols + 127) / 128, (rows + part - 1) / part), 128, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, cols, part);
  return y;
}
"""

cpp_source = """
torch::Tensor column_mean(torch::Tensor x);
"""

ext = load_inline(name="20_columns_added_without_atomics", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['column_mean'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.column_mean(x.contiguous())
