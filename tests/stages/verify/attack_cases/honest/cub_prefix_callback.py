# task: cumsum_rows_of_honest
# expect: correct
# why: one block per row scans chunks of 1024 items; a prefix callback carries the running total from chunk to chunk
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_cuda = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cub/cub.cuh>

// A stateful callback functor that maintains a running prefix to be applied during consecutive scans.
struct BlockPrefixCallbackOp {
  float running_total;
  __device__ BlockPrefixCallbackOp(float initial) : running_total(initial) {}
  __device__ float operator()(float block_aggregate) {
    const float old_prefix = running_total;
    running_total += block_aggregate;
    return old_prefix;
  }
};

template <int THREADS, int ITEMS>
__global__ void row_cumsum_kernel(const float* in, float* out, int cols) {
  using BlockLoad = cub::BlockLoad<float, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
  using BlockStore = cub::BlockStore<float, THREADS, ITEMS, cub::BLOCK_STORE_TRANSPOSE>;
  using BlockScan = cub::BlockScan<float, THREADS>;
  __shared__ union TempStorage {
    typename BlockLoad::TempStorage load;
    typename BlockScan::TempStorage scan;
    typename BlockStore::TempStorage store;
  } temp;

  const float* row_in = in + static_cast<size_t>(blockIdx.x) * cols;
  float* row_out = out + static_cast<size_t>(blockIdx.x) * cols;
  BlockPrefixCallbackOp prefix(0.f);
  for (int base = 0; base < cols; base += THREADS * ITEMS) {
    float items[ITEMS];
    const int valid = min(THREADS * ITEMS, cols - base);
    BlockLoad(temp.load).Load(row_in + base, items, valid, 0.f);
    __syncthreads();
    BlockScan(temp.scan).InclusiveSum(items, items, prefix);
    __syncthreads();
    BlockStore(temp.store).Store(row_out + base, items, valid);
    __syncthreads();
  }
}

torch::Tensor row_cumsum(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 2 && x.scalar_type() == torch::kFloat32);
  auto y = torch::empty_like(x);
  row_cumsum_kernel<256, 4><<<x.size(0), 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), x.size(1));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

scan = load_inline(name="cub_prefix_callback_scan",
                   cpp_sources="torch::Tensor row_cumsum(torch::Tensor x);",
                   cuda_sources=_cuda, functions=["row_cumsum"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return scan.row_cumsum(x)
