# task: masked_select
# expect: refused
# why: host code reads a count from pinned memory without waiting for its copy
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SRC = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

// One block: an ordered compaction; the count goes to pinned memory without a wait for the stream.
__global__ void compact(const float* x, const bool* mask, float* out, int* count, int n) {
  __shared__ int warp_totals[32];
  __shared__ int base;
  if (threadIdx.x == 0) base = 0;
  __syncthreads();
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int start = 0; start < n; start += blockDim.x) {
    const int i = start + threadIdx.x;
    const bool keep = i < n && mask[i];
    const unsigned votes = __ballot_sync(0xffffffffu, keep);
    if (lane == 0) warp_totals[warp] = __popc(votes);
    __syncthreads();
    int before = base;
    for (int w = 0; w < warp; ++w) before += warp_totals[w];
    if (keep) out[before + __popc(votes & ((1u << lane) - 1))] = x[i] * 2.f;
    __syncthreads();
    if (threadIdx.x == 0)
      for (int w = 0; w < (int)(blockDim.x >> 5); ++w) base += warp_totals[w];
    __syncthreads();
  }
  if (threadIdx.x == 0) *count = base;
}

torch::Tensor select_doubled(torch::Tensor x, torch::Tensor mask) {
  const int n = x.numel();
  auto room = torch::empty({n}, x.options());
  auto count = torch::empty({1}, x.options().dtype(torch::kInt32));
  auto stream = at::cuda::getCurrentCUDAStream();
  static int* pinned = [] {
    void* p = nullptr;
    C10_CUDA_CHECK(cudaMallocHost(&p, sizeof(int)));
    return static_cast<int*>(p);
  }();
  compact<<<1, 256, 0, stream>>>(x.data_ptr<float>(), mask.data_ptr<bool>(), room.data_ptr<float>(), count.data_ptr<int>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  C10_CUDA_CHECK(cudaMemcpyAsync(pinned, count.data_ptr<int>(), sizeof(int), cudaMemcpyDeviceToHost, stream));
  return room.narrow(0, 0, *pinned);  // the stream has not got there yet
}
"""
m = load_inline("c7_unwaited_count", "torch::Tensor select_doubled(torch::Tensor x, torch::Tensor mask);", SRC,
                functions=["select_doubled"])


class ModelNew(nn.Module):
    def forward(self, x, mask):
        return m.select_doubled(x.contiguous(), mask.contiguous())
