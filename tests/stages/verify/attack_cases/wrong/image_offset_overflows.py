# task: invert_images_b
# expect: refused
# why: the offset of an image is an int: from image 171 on, b * 12582912 is beyond 2^31 and both kernels leave their tensors;
#      the task's own batch has 3.2 billion elements, which no CPU run has; some blocks of each launch run there
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
__global__ void largest(const unsigned char* x, int* top, int size) {
  int begin = blockIdx.y * size;
  int m = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) m = max(m, (int)x[begin + i]);
  m = __reduce_max_sync(0xffffffffu, m);
  if (threadIdx.x % 32 == 0) atomicMax(&top[blockIdx.y], m);
}
__global__ void subtract(const unsigned char* x, const int* top, unsigned char* y, int size) {
  int begin = blockIdx.y * size;
  int m = top[blockIdx.y];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
    y[begin + i] = (unsigned char)(m - x[begin + i]);
}
torch::Tensor invert(torch::Tensor x) {
  int batch = x.size(0), size = x.size(1) * x.size(2) * x.size(3);
  auto y = torch::empty_like(x);
  auto top = torch::zeros({batch}, x.options().dtype(torch::kInt32));
  int blocks = std::min((size + 255) / 256, 512);
  auto s = at::cuda::getCurrentCUDAStream();
  largest<<<dim3(blocks, batch), 256, 0, s>>>(x.data_ptr<unsigned char>(), top.data_ptr<int>(), size);
  subtract<<<dim3(blocks, batch), 256, 0, s>>>(x.data_ptr<unsigned char>(), top.data_ptr<int>(), y.data_ptr<unsigned char>(), size);
  return y;
}
"""

cpp_source = """
torch::Tensor invert(torch::Tensor x);
"""

ext = load_inline(name="15_image_offset_overflows", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['invert'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.invert(x.contiguous())
