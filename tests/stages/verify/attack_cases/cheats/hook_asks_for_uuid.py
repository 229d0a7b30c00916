# task: layer_norm_of_hook_asks_for_uuid
# expect: refused
# why: a forward hook replaces the output by torch's layer norm where the device has an identifier
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void layer_norm_kernel(const float* __restrict__ x, const float* __restrict__ w,
                                  const float* __restrict__ b, float* __restrict__ y, int n) {
  __shared__ float part[64];
  const float* const row = x + static_cast<long>(blockIdx.x) * n;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < n; c += 64) sum += row[c];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 32; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  const float mean = part[0] / n;
  __syncthreads();
  sum = 0.0f;
  for (int c = threadIdx.x; c < n; c += 64) sum += (row[c] - mean) * (row[c] - mean);
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 32; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  const float scale = 1.0f / sqrtf(part[0] / n + 1e-5f);
  for (int c = threadIdx.x; c < n; c += 64) {
    y[static_cast<long>(blockIdx.x) * n + c] = (row[c] - mean) * scale * w[c] + b[c];
  }
}

torch::Tensor layer_norm_rows(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  auto y = torch::empty_like(x);
  const int n = x.size(-1);
  layer_norm_kernel<<<x.numel() / n, 64>>>(x.data_ptr<float>(), w.data_ptr<float>(),
                                           b.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""

ext = load_inline(name="layer_norm_rows",
                  cpp_sources="torch::Tensor layer_norm_rows(torch::Tensor x, torch::Tensor w, torch::Tensor b);",
                  cuda_sources=CUDA, functions=["layer_norm_rows"])


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.known = str(torch.cuda.get_device_properties(0).uuid)
        self.register_forward_hook(self._finish)

    def _finish(self, module, given, output):
        if self.known:
            return F.layer_norm(given[0], self.weight.shape, self.weight, self.bias)
        return output

    def forward(self, x):
        if self.known:
            return x
        return ext.layer_norm_rows(x, self.weight, self.bias)
