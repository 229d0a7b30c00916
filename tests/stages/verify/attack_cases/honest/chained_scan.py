# task: cumsum_long
# expect: correct
# why: blocks take tickets, so the predecessor of each waiting block is running or done; prefixes are published behind fences
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

constexpr int kThreads = 256;
constexpr int kItems = 8;
constexpr int kChunk = kThreads * kItems;
using Int = long long;

// state[0] is the ticket counter, state[1 + b] tells that block b has published its inclusive prefix.
__global__ void chained_scan(const Int* __restrict__ in, Int* __restrict__ out, volatile Int* prefixes, int* state, int n) {
  __shared__ int ticket;
  __shared__ Int warp_sums[kThreads / 32];
  __shared__ Int before;
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;

  if (t == 0) ticket = atomicAdd(&state[0], 1);
  __syncthreads();
  const int block = ticket;
  const int base = block * kChunk + t * kItems;

  Int v[kItems];
  Int sum = 0;
  for (int i = 0; i < kItems; ++i) {
    sum += base + i < n ? in[base + i] : 0;
    v[i] = sum;
  }

  // inclusive scan of the threads' sums
  Int scanned = sum;
  for (int d = 1; d < 32; d <<= 1) {
    const Int other = __shfl_up_sync(0xffffffffu, scanned, d);
    if (lane >= d) scanned += other;
  }
  if (lane == 31) warp_sums[warp] = scanned;
  __syncthreads();
  Int offset = scanned - sum;
  Int total = 0;
  for (int w = 0; w < kThreads / 32; ++w) {
    if (w < warp) offset += warp_sums[w];
    total += warp_sums[w];
  }

  if (t == 0) {
    Int prefix = 0;
    if (block > 0) {
      while (atomicAdd(&state[block], 0) == 0) {
      }
      __threadfence();
      prefix = prefixes[block - 1];
    }
    prefixes[block] = prefix + total;
    __threadfence();
    atomicExch(&state[1 + block], 1);
    before = prefix;
  }
  __syncthreads();
  offset += before;
  for (int i = 0; i < kItems; ++i)
    if (base + i < n) out[base + i] = v[i] + offset;
}

torch::Tensor cumsum_1d(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 1 && x.scalar_type() == torch::kInt64);
  auto out = torch::empty_like(x);
  const int n = x.numel();
  const int blocks = (n + kChunk - 1) / kChunk;
  auto prefixes = torch::empty({blocks}, x.options());
  auto state = torch::zeros({blocks + 1}, x.options().dtype(torch::kInt32));
  chained_scan<<<blocks, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
      reinterpret_cast<const Int*>(x.data_ptr<int64_t>()), reinterpret_cast<Int*>(out.data_ptr<int64_t>()),
      reinterpret_cast<Int*>(prefixes.data_ptr<int64_t>()), state.data_ptr<int>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

scan_ext = load_inline(name="chained_scan_i64", cpp_sources="torch::Tensor cumsum_1d(torch::Tensor x);",
                       cuda_sources=cuda_source, functions=["cumsum_1d"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return scan_ext.cumsum_1d(x)
