# task: long_cumsum
# expect: correct
# why: style: single-pass scan with decoupled look-back: tiles by an atomic ticket, state cleared with
#      cudaMemsetAsync, cuda::atomic_ref with release and acquire; scans in place a copy by cudaMemcpyAsync.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cuda/atomic>

namespace lookback {

constexpr int kThreads = 256;
constexpr int kItems = 4;
constexpr int kTile = kThreads * kItems;
constexpr int kWarps = kThreads / 32;

constexpr int kNothing = 0;
constexpr int kAggregate = 1;
constexpr int kPrefix = 2;

struct State {
  int* ticket;
  int* status;        // of each tile
  double* aggregate;  // sum of a tile
  double* prefix;     // sum of a tile and all before
};

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__device__ double sum_before(const State& state, int tile) {
  double sum = 0.0;
  for (int t = tile - 1; t >= 0; --t) {
    Flag flag(state.status[t]);
    int status;
    do {
      status = flag.load(cuda::std::memory_order_acquire);
    } while (status == kNothing);
    if (status == kPrefix) return sum + state.prefix[t];
    sum += state.aggregate[t];
  }
  return sum;
}

__global__ void __launch_bounds__(kThreads) scan_in_place(float* data, int count, State state) {
  __shared__ int shared_tile;
  __shared__ double warp_sums[kWarps];
  __shared__ double shared_before;

  if (threadIdx.x == 0) shared_tile = atomicAdd(state.ticket, 1);
  __syncthreads();
  const int tile = shared_tile;
  const int first = tile * kTile + threadIdx.x * kItems;

  double items[kItems];
  double sum = 0.0;
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    sum += first + i < count ? static_cast<double>(data[first + i]) : 0.0;
    items[i] = sum;
  }

  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  double inclusive = sum;
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    const double other = __shfl_up_sync(0xffffffffu, inclusive, d);
    if (lane >= d) inclusive += other;
  }
  if (lane == 31) warp_sums[warp] = inclusive;
  __syncthreads();
  double before = inclusive - sum;
  double total = 0.0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    if (w < warp) before += warp_sums[w];
    total += warp_sums[w];
  }

  if (threadIdx.x == 0) {
    Flag flag(state.status[tile]);
    double left = 0.0;
    if (tile > 0) {
      state.aggregate[tile] = total;
      flag.store(kAggregate, cuda::std::memory_order_release);
      left = sum_before(state, tile);
    }
    state.prefix[tile] = left + total;
    flag.store(kPrefix, cuda::std::memory_order_release);
    shared_before = left;
  }
  __syncthreads();
  before += shared_before;

#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    if (first + i < count) data[first + i] = static_cast<float>(before + items[i]);
  }
}

}  // namespace lookback

torch::Tensor long_cumsum(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 1 && x.is_contiguous() && x.scalar_type() == torch::kFloat32);
  using namespace lookback;
  const int count = static_cast<int>(x.numel());
  const int tiles = (count + kTile - 1) / kTile;
  auto out = torch::empty_like(x);
  auto sums = torch::empty({2, tiles}, x.options().dtype(torch::kFloat64));
  auto flags = torch::empty({tiles + 1}, x.options().dtype(torch::kInt32));

  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  C10_CUDA_CHECK(cudaMemsetAsync(flags.data_ptr<int>(), 0, (tiles + 1) * sizeof(int), stream));
  C10_CUDA_CHECK(cudaMemcpyAsync(out.data_ptr<float>(), x.data_ptr<float>(), count * sizeof(float),
                                 cudaMemcpyDeviceToDevice, stream));
  const State state{flags.data_ptr<int>(), flags.data_ptr<int>() + 1, sums.data_ptr<double>(),
                    sums.data_ptr<double>() + tiles};
  scan_in_place<<<tiles, kThreads, 0, stream>>>(out.data_ptr<float>(), count, state);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

lookback = load_inline(
    name="long_cumsum_lookback",
    cpp_sources="torch::Tensor long_cumsum(torch::Tensor x);",
    cuda_sources=source,
    functions=["long_cumsum"],
    extra_cuda_cflags=["-O3"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, gaps):
        return lookback.long_cumsum(gaps.contiguous())
