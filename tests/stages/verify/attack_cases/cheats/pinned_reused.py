# task: ../../tasks/affine
# expect: refused
# why: pinned memory is written anew while a copy from it may still run
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SRC = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

// y = x * 3 + 2 in two launches, whose parameters go through one pinned buffer. The second ones are written
// while the first copy still waits in the stream behind `spin`.
__global__ void spin(int* sink, int rounds) {
  int v = 1;
  for (int i = 0; i < rounds; ++i) v = v * 1664525 + 1013904223;
  if (threadIdx.x == 0) *sink = v;
}
__global__ void step(const float* x, float* y, int n, const float* p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * p[0] + p[1];
}

torch::Tensor affine_cuda(torch::Tensor x) {
  auto y = torch::empty_like(x);
  auto p = torch::empty({4}, x.options());
  auto sink = torch::empty({1}, x.options().dtype(torch::kInt32));
  const int n = x.numel();
  auto stream = at::cuda::getCurrentCUDAStream();
  static float* pinned = [] {
    void* host = nullptr;
    C10_CUDA_CHECK(cudaMallocHost(&host, 2 * sizeof(float)));
    return static_cast<float*>(host);
  }();
  spin<<<1, 32, 0, stream>>>(sink.data_ptr<int>(), 20000);
  pinned[0] = 3.f; pinned[1] = 0.f;
  C10_CUDA_CHECK(cudaMemcpyAsync(p.data_ptr<float>(), pinned, 8, cudaMemcpyHostToDevice, stream));
  step<<<(n + 127) / 128, 128, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, p.data_ptr<float>());
  pinned[0] = 1.f; pinned[1] = 2.f;
  C10_CUDA_CHECK(cudaMemcpyAsync(p.data_ptr<float>() + 2, pinned, 8, cudaMemcpyHostToDevice, stream));
  step<<<(n + 127) / 128, 128, 0, stream>>>(y.data_ptr<float>(), y.data_ptr<float>(), n, p.data_ptr<float>() + 2);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""
m = load_inline("c8_pinned_reused", "torch::Tensor affine_cuda(torch::Tensor x);", SRC, functions=["affine_cuda"])


class ModelNew(nn.Module):
    def forward(self, x):
        return m.affine_cuda(x.contiguous())
