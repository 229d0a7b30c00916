# task: cumsum_rows_h
# expect: correct
# why: style: cub::BlockScan with a running prefix callback, cub::BlockLoad and BlockStore with guarded tiles,
#      sums in double.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

scan_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

struct RunningTotal {
  double total;
  __device__ explicit RunningTotal(double start) : total(start) {}
  // The first warp calls it; the value of its first thread is used.
  __device__ double operator()(double block_aggregate) {
    const double before = total;
    total += block_aggregate;
    return before;
  }
};

template <int kThreads, int kItems>
__global__ void __launch_bounds__(kThreads)
row_cumsum(const float* __restrict__ x, float* __restrict__ y, int cols) {
  using Load = cub::BlockLoad<float, kThreads, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<float, kThreads, kItems, cub::BLOCK_STORE_TRANSPOSE>;
  using Scan = cub::BlockScan<double, kThreads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
  } shared;

  constexpr int kTile = kThreads * kItems;
  const float* in = x + static_cast<size_t>(blockIdx.x) * cols;
  float* out = y + static_cast<size_t>(blockIdx.x) * cols;
  RunningTotal running(0.0);

  for (int base = 0; base < cols; base += kTile) {
    const int valid = min(kTile, cols - base);
    float items[kItems];
    Load(shared.load).Load(in + base, items, valid, 0.0f);
    __syncthreads();
    double sums[kItems];
#pragma unroll
    for (int i = 0; i < kItems; ++i) sums[i] = static_cast<double>(items[i]);
    Scan(shared.scan).InclusiveSum(sums, sums, running);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kItems; ++i) items[i] = static_cast<float>(sums[i]);
    Store(shared.store).Store(out + base, items, valid);
    __syncthreads();
  }
}

torch::Tensor cumsum_rows(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 2 && x.scalar_type() == torch::kFloat);
  auto in = x.contiguous();
  auto out = torch::empty_like(in);
  row_cumsum<128, 4><<<in.size(0), 128, 0, at::cuda::getCurrentCUDAStream()>>>(
      in.data_ptr<float>(), out.data_ptr<float>(), static_cast<int>(in.size(1)));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

scan = load_inline(
    name="cumsum_cub_block_scan",
    cpp_sources="torch::Tensor cumsum_rows(torch::Tensor x);",
    cuda_sources=scan_source,
    functions=["cumsum_rows"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return scan.cumsum_rows(x)
