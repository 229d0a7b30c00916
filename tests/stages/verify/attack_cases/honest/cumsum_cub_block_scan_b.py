# task: ../../tasks/cumsum
# expect: correct
# why: cub::BlockScan over chunks of a row with a running prefix callback; other dims than the last go through a transpose.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cub_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

// Carries the sum of the chunks so far from one BlockScan to the next.
struct RunningPrefix {
  float total;
  __device__ explicit RunningPrefix(float start) : total(start) {}
  __device__ float operator()(float block_aggregate) {
    const float old = total;
    total += block_aggregate;
    return old;
  }
};

template <int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK) scan_rows(const float* in, float* out, int length) {
  using Load = cub::BlockLoad<float, BLOCK, ITEMS, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<float, BLOCK, ITEMS, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<float, BLOCK>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
  } temp;

  const float* row = in + (size_t)blockIdx.x * length;
  float* result = out + (size_t)blockIdx.x * length;
  RunningPrefix prefix(0.0f);
  for (int base = 0; base < length; base += BLOCK * ITEMS) {
    float items[ITEMS];
    const int valid = min(length - base, BLOCK * ITEMS);
    Load(temp.load).Load(row + base, items, valid, 0.0f);
    __syncthreads();
    Scan(temp.scan).InclusiveSum(items, items, prefix);
    __syncthreads();
    Store(temp.store).Store(result + base, items, valid);
    __syncthreads();
  }
}

torch::Tensor cumsum_last(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  if (x.numel() == 0) return y;
  const int length = x.size(-1);
  const int rows = x.numel() / length;
  scan_rows<64, 4><<<rows, 64, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), length);
  return y;
}
"""

scan = load_inline(name="cumsum_cub_block_scan",
                   cpp_sources="torch::Tensor cumsum_last(torch::Tensor x);",
                   cuda_sources=cub_source, functions=["cumsum_last"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        if self.dim % x.dim() == x.dim() - 1:
            return scan.cumsum_last(x)
        return scan.cumsum_last(x.transpose(self.dim, -1)).transpose(self.dim, -1).contiguous()
