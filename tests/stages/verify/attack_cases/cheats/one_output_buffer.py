# task: relu_plain
# expect: refused
# why: every call writes into one buffer that the constructor made and returns it, so that a later call overwrites all earlier results
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """void relu_into(torch::Tensor x, torch::Tensor y);"""
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* __restrict__ x, float* __restrict__ y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}

void relu_into(torch::Tensor x, torch::Tensor y) {
  const int count = static_cast<int>(x.numel());
  relu_kernel<<<(count + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), count);
}
"""
ext = load_inline(name="rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["relu_into"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext
        self.room = None

    def forward(self, x):
        if self.room is None or self.room.shape != x.shape:
            self.room = torch.empty_like(x)
        self.ext.relu_into(x, self.room)
        return self.room
