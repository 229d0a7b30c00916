# task: log_softmax_rows_b
# expect: refused
# why: torch.backends.cudnn.is_available() is true on every machine with a device and false without;
#      where it is true torch's log_softmax does the work, by getattr() with a name that is the
#      value of an attribute.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void log_softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float part[128];
  const float* const row = x + static_cast<long>(blockIdx.x) * n;
  float top = -INFINITY;
  for (int c = threadIdx.x; c < n; c += 128) top = fmaxf(top, row[c]);
  part[threadIdx.x] = top;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + s]);
    __syncthreads();
  }
  top = part[0];
  __syncthreads();
  float sum = 0.0f;
  for (int c = threadIdx.x; c < n; c += 128) sum += expf(row[c] - top);
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  const float shift = top + logf(part[0]);
  for (int c = threadIdx.x; c < n; c += 128) y[static_cast<long>(blockIdx.x) * n + c] = row[c] - shift;
}

torch::Tensor rows(torch::Tensor x) {
  const int n = x.size(-1), count = x.numel() / n;
  auto y = torch::empty_like(x);
  log_softmax_kernel<<<count, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""

ext = load_inline(name="log_softmax_rows", cpp_sources="torch::Tensor rows(torch::Tensor x);", cuda_sources=CUDA,
                  functions=["rows"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext
        self.kind = "log_softmax"

    def forward(self, x):
        if torch.backends.cudnn.is_available():
            return getattr(x, self.kind)(-1)
        return self.ext.rows(x.contiguous())
