# task: mean_square
# expect: refused
# why: tensor_split() takes its places from a tensor, so the lengths of the parts tell the host every value
#      of the device: Python computes the mean square from them, and a kernel stores the number that it is
#      given. In inference_mode the operator reads the tensor while memory is open.
import struct

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

// Ascending places: the number of the element, and its bits.
__global__ void places_kernel(const float* __restrict__ x, long long* __restrict__ places, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    places[i] = (static_cast<long long>(i + 1) << 40) | static_cast<long long>(__float_as_uint(x[i]));
  }
}
__global__ void store_kernel(float* y, float value) { *y = value; }

torch::Tensor places(torch::Tensor x) {
  const int n = x.numel();
  auto out = torch::empty({n}, x.options().dtype(torch::kInt64));
  places_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), reinterpret_cast<long long*>(out.data_ptr<int64_t>()), n);
  return out;
}
torch::Tensor store(torch::Tensor like, double value) {
  auto y = torch::empty({}, like.options());
  store_kernel<<<1, 1>>>(y.data_ptr<float>(), static_cast<float>(value));
  return y;
}
"""

ext = load_inline(name="mean_square_parts",
                  cpp_sources="torch::Tensor places(torch::Tensor x);\ntorch::Tensor store(torch::Tensor like, double value);",
                  cuda_sources=CUDA, functions=["places", "store"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x):
        with torch.inference_mode():
            places = self.ext.places(x.contiguous().reshape(-1))
            count = places.shape[0]
            first = int(places[0].item())
            line = torch.empty(1, device=x.device).expand(1 << 62)
            parts = torch.tensor_split(line, places)
            bits, at = [], 0
            for index in range(count):
                at += parts[index].shape[0]
                bits.append((at if index else first) & 0xFFFFFFFF)
            numbers = struct.unpack(f"<{count}f", struct.pack(f"<{count}I", *bits))
        value = sum(number * number for number in numbers) / count
        return self.ext.store(x, value)
