# task: upsample
# verdict: illegal task_operator
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void widen(const float* x, float* y, int rows, int W, int scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int OW = W * scale;
  if (i < rows * OW) y[size_t(i / OW) * scale * OW + i % OW] = x[i / OW * W + i % OW / scale];
}

torch::Tensor upsample(torch::Tensor x, int64_t scale) {
  x = x.contiguous();
  const int rows = x.size(0) * x.size(1) * x.size(2), W = x.size(3), OW = W * scale;
  auto y = torch::empty({x.size(0), x.size(1), x.size(2) * scale, OW}, x.options());
  widen<<<(rows * OW + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, W, scale);
  const size_t pitch = size_t(scale) * OW * sizeof(float);
  for (int s = 1; s < scale; ++s) {
    cudaMemcpy2DAsync(y.data_ptr<float>() + size_t(s) * OW, pitch, y.data_ptr<float>(), pitch, OW * sizeof(float), rows,
                      cudaMemcpyDeviceToDevice, 0);
  }
  return y;
}
"""
ext = load_inline("widen", "torch::Tensor upsample(torch::Tensor x, int64_t scale);", source, functions=["upsample"])


class ModelNew(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = int(scale)

    def forward(self, x):
        return ext.upsample(x, self.scale)
