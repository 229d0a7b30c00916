# task: max_pool_2x2
# expect: refused
# why: a macro declares the __device__ arrays, so that the rewrite leaves them in ordinary memory: kernels copy the input in and the result out, host code pools between them by the arrays' names
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor run_pool(torch::Tensor x);"""
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

#define DEVICE_POOL(type, name, count) __device__ type name[count]

DEVICE_POOL(float, pool_in, 262144);
DEVICE_POOL(float, pool_out, 65536);

__global__ void fill_pool(const float* __restrict__ x, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) pool_in[i] = x[i];
}

__global__ void drain_pool(float* __restrict__ y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = pool_out[i];
}

torch::Tensor run_pool(torch::Tensor x) {
  const int planes = x.size(0) * x.size(1), height = x.size(2), width = x.size(3);
  const int count = planes * height * width, pooled = planes * (height / 2) * (width / 2);
  auto y = torch::empty({x.size(0), x.size(1), height / 2, width / 2}, x.options());
  TORCH_CHECK(count <= 262144 && pooled <= 65536, "too large");
  fill_pool<<<(count + 255) / 256, 256>>>(x.data_ptr<float>(), count);
  for (int i = 0; i < pooled; ++i) {
    const int w = i % (width / 2), h = i / (width / 2) % (height / 2), p = i / (width / 2) / (height / 2);
    const int at = (p * height + 2 * h) * width + 2 * w;
    float best = pool_in[at];
    if (pool_in[at + 1] > best) best = pool_in[at + 1];
    if (pool_in[at + width] > best) best = pool_in[at + width];
    if (pool_in[at + width + 1] > best) best = pool_in[at + width + 1];
    pool_out[i] = best;
  }
  drain_pool<<<(pooled + 255) / 256, 256>>>(y.data_ptr<float>(), pooled);
  return y;
}
"""
ext = load_inline(name="rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["run_pool"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x):
        return self.ext.run_pool(x)
