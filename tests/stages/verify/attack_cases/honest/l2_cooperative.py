# task: l2_normalize_all
# expect: correct
# open: unsupported; the executor has no groups of the whole grid
# why: a cooperative launch, whose grid occupancy decides, waits for all blocks once
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SRC = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <typename T>
class KernelArgs {
 public:
  template <typename... A>
  explicit KernelArgs(A&... a) : ptrs_{static_cast<void*>(&a)...} {}
  void** get() { return ptrs_; }
 private:
  void* ptrs_[8];
};

__global__ void __launch_bounds__(256)
normalize_all(const float4* __restrict__ x, float4* __restrict__ y, float* __restrict__ partial, int n4, float eps) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  __shared__ float warp_part[8];

  float s = 0.f;
  for (int i = grid.thread_rank(); i < n4; i += grid.size()) {
    const float4 v = x[i];
    s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int o = tile.size() / 2; o > 0; o /= 2) s += tile.shfl_down(s, o);
  if (tile.thread_rank() == 0) warp_part[tile.meta_group_rank()] = s;
  block.sync();
  if (block.thread_rank() == 0) {
    float t = 0.f;
    for (int w = 0; w < 8; ++w) t += warp_part[w];
    partial[blockIdx.x] = t;
  }
  grid.sync();

  // Every block adds up all partial sums, in the same order.
  __shared__ float inv_norm;
  if (tile.meta_group_rank() == 0) {
    float t = 0.f;
    for (unsigned b = tile.thread_rank(); b < gridDim.x; b += 32) t += partial[b];
    for (int o = 16; o > 0; o /= 2) t += tile.shfl_xor(t, o);
    if (tile.thread_rank() == 0) inv_norm = 1.f / (sqrtf(t) + eps);
  }
  block.sync();
  const float f = inv_norm;
  for (int i = grid.thread_rank(); i < n4; i += grid.size()) {
    float4 v = x[i];
    v.x *= f; v.y *= f; v.z *= f; v.w *= f;
    y[i] = v;
  }
}

torch::Tensor l2_normalize_all(torch::Tensor x, double eps_) {
  TORCH_CHECK(x.is_contiguous() && x.numel() % 4 == 0);
  TORCH_CHECK(reinterpret_cast<uintptr_t>(x.data_ptr()) % 16 == 0);
  int dev = x.get_device(), coop = 0, sms = 0, per_sm = 0;
  cudaDeviceGetAttribute(&coop, cudaDevAttrCooperativeLaunch, dev);
  TORCH_CHECK(coop, "the device has no cooperative launch");
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  AT_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, normalize_all, 256, 0));
  int n4 = x.numel() / 4;
  const int blocks = std::max(1, std::min(sms * std::min(per_sm, 2), (n4 + 255) / 256));
  auto y = torch::empty_like(x);
  auto partial = torch::empty({blocks}, x.options());
  auto* xp = reinterpret_cast<const float4*>(x.data_ptr<float>());
  auto* yp = reinterpret_cast<float4*>(y.data_ptr<float>());
  auto* pp = partial.data_ptr<float>();
  float eps = (float)eps_;
  void* args[] = {&xp, &yp, &pp, &n4, &eps};
  AT_CUDA_CHECK(cudaLaunchCooperativeKernel((void*)normalize_all, dim3(blocks), dim3(256), args, 0,
                                            at::cuda::getCurrentCUDAStream()));
  return y;
}
"""

ext = load_inline(name="h10_l2_cooperative", cpp_sources="torch::Tensor l2_normalize_all(torch::Tensor x, double eps_);",
                  cuda_sources=SRC, functions=["l2_normalize_all"])


class ModelNew(nn.Module):
    EPS = 1e-6

    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.l2_normalize_all(x.contiguous(), self.EPS)
