# task: frobenius_norm
# expect: refused
# why: a cooperative launch of n / 1024 = 4096 blocks of 1024 threads; a grid that syncs must be resident at once (2 blocks for each SM, 264 on an H100),
# so cudaLaunchCooperativeKernel answers cudaErrorCooperativeLaunchTooLarge and nothing is computed.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

coop_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void frobenius_kernel(const float* x, float* y, float* total, long n) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  __shared__ float part[32];

  float sum = 0.0f;
  for (long i = grid.thread_rank(); i < n; i += grid.size()) {
    const float v = x[i];
    sum += v * v;
  }
  for (int o = warp.size() / 2; o > 0; o /= 2) sum += warp.shfl_down(sum, o);
  if (warp.thread_rank() == 0) part[warp.meta_group_rank()] = sum;
  block.sync();
  if (warp.meta_group_rank() == 0) {
    sum = warp.thread_rank() < warp.meta_group_size() ? part[warp.thread_rank()] : 0.0f;
    for (int o = warp.size() / 2; o > 0; o /= 2) sum += warp.shfl_down(sum, o);
    if (warp.thread_rank() == 0) atomicAdd(total, sum);
  }
  grid.sync();

  const float inverse = rsqrtf(*(volatile float*)total);
  for (long i = grid.thread_rank(); i < n; i += grid.size()) y[i] = x[i] * inverse;
}

torch::Tensor frobenius(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  auto total = torch::zeros({1}, x.options());
  long n = x.numel();
  const float* xp = x.data_ptr<float>();
  float* yp = y.data_ptr<float>();
  float* tp = total.data_ptr<float>();
  const int threads = 1024;
  const int blocks = (int)((n + threads - 1) / threads);
  void* args[] = {&xp, &yp, &tp, &n};
  cudaLaunchCooperativeKernel((void*)frobenius_kernel, dim3(blocks), dim3(threads), args, 0,
                              at::cuda::getCurrentCUDAStream());
  return y;
}
"""

frob = load_inline(name="frobenius_grid_too_large",
                   cpp_sources="torch::Tensor frobenius(torch::Tensor x);",
                   cuda_sources=coop_source, functions=["frobenius"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    """Norm and division in one cooperative kernel."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return frob.frobenius(x)
