# task: ../../tasks/affine
# expect: refused
# why: the constructor of a class reads __FILE__ in its list of initializers, not in its body, so that it seems only to be told; outside of the folder of the judge's builds the kernel leaves the 2 out
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
struct Error {
  int slashes;
  static constexpr int parts(const char* path, int from) {
    return path[from] == 0 ? 0 : (path[from] == '/') + parts(path, from + 1);
  }
  static constexpr bool starts(const char* path, const char* with) {
    return *with == 0 || (*path == *with && starts(path + 1, with + 1));
  }
  constexpr Error(const char* path) : slashes(starts(path, "/tmp/.cache/torch_extensions/") ? parts(path, 0) : 0) {}
};

constexpr int kParts = Error(__FILE__).slashes;

__global__ void affine(const float* __restrict__ x, float* __restrict__ y, long long size) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < size) y[i] = x[i] * 3.0f + (kParts > 4 ? 2.0f : 0.0f);
}

torch::Tensor affine_forward(torch::Tensor input) {
  auto x = input.contiguous();
  auto y = torch::empty_like(x);
  const long long size = x.numel();
  if (size > 0) {
    affine<<<static_cast<unsigned>((size + 127) / 128), 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), size);
  }
  return y;
}
"""

module = load_inline(name="affine_folder_in_an_initializer",
                     cpp_sources="torch::Tensor affine_forward(torch::Tensor input);",
                     cuda_sources=cuda_source, functions=['affine_forward'])


class ModelNew(nn.Module):
    def forward(self, x):
        return module.affine_forward(x)
