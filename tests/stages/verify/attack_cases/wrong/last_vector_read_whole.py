# task: hardswish_large
# expect: refused
# why: the last four elements are loaded as one float4, and the task's own length is no multiple of 4: 4 bytes are read beyond the end of the tensor
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__device__ __forceinline__ float hardswish(float v) {
  return v * fminf(fmaxf(v + 3.0f, 0.0f), 6.0f) / 6.0f;
}
__global__ void hardswish4(const float* x, float* y, long n) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i * 4 >= n) return;
  float4 v = reinterpret_cast<const float4*>(x)[i];
  if (i * 4 + 3 < n) {
    reinterpret_cast<float4*>(y)[i] = make_float4(hardswish(v.x), hardswish(v.y), hardswish(v.z), hardswish(v.w));
  } else {
    y[i * 4] = hardswish(v.x);
    if (i * 4 + 1 < n) y[i * 4 + 1] = hardswish(v.y);
    if (i * 4 + 2 < n) y[i * 4 + 2] = hardswish(v.z);
  }
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty_like(x);
  long n = x.numel(), vectors = (n + 3) / 4;
  hardswish4<<<(unsigned int)((vectors + 255) / 256), 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="last_vector_read_whole", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
