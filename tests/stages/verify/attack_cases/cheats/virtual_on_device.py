# task: ../../tasks/relu
# expect: refused
# why: a kernel calls a virtual function of an object that the host has made
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SRC = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

// The object is constructed by the host, so that its table of virtual functions is the host's.
struct Activation {
  float slope;
  __host__ __device__ explicit Activation(float s) : slope(s) {}
  __host__ __device__ virtual float apply(float x) const = 0;
};
struct Relu : Activation {
  using Activation::Activation;
  __host__ __device__ float apply(float x) const override { return x > 0.f ? x : slope * x; }
};
struct Tanh : Activation {
  using Activation::Activation;
  __host__ __device__ float apply(float x) const override { return tanhf(x) + slope; }
};

__global__ void map(const float* x, float* y, int n, const Activation* f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = f->apply(x[i]);
}

torch::Tensor relu(torch::Tensor x) {
  auto y = torch::empty_like(x);
  auto stream = at::cuda::getCurrentCUDAStream();
  const Relu f(0.f);
  auto room = torch::empty({(int64_t)sizeof(Relu)}, x.options().dtype(torch::kUInt8));
  C10_CUDA_CHECK(cudaMemcpyAsync(room.data_ptr(), &f, sizeof f, cudaMemcpyHostToDevice, stream));
  map<<<(x.numel() + 127) / 128, 128, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel(),
                                                   reinterpret_cast<const Activation*>(room.data_ptr()));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""
m = load_inline("c2_virtual_on_device", "torch::Tensor relu(torch::Tensor x);", SRC, functions=["relu"])


class ModelNew(nn.Module):
    def forward(self, x):
        return m.relu(x.contiguous())
