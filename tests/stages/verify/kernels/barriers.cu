// Barriers and warp operations that not all threads reach, each beside a correct twin.
#include <torch/extension.h>
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void branch_kernel(int* y, bool wrong) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (!wrong) __syncthreads();
  if (wrong && threadIdx.x < 32) {
    __syncthreads();  // BRANCH
  }
  y[threadIdx.x] = s[threadIdx.x];
}
__global__ void two_kernel(int* y, bool wrong) {
  if (wrong && threadIdx.x % 2 == 0) {
    __syncthreads();  // TWO
    y[threadIdx.x] = 1;
  } else {
    __syncthreads();  // TWO
    y[threadIdx.x] = 2;
  }
}
__global__ void early_kernel(int* y, int n, bool wrong) {
  if (wrong && threadIdx.x >= n) return;
  __syncthreads();  // EARLY
  if (threadIdx.x < n) y[threadIdx.x] = 1;
}
__global__ void trips_kernel(int* y, bool wrong) {
  const int trips = wrong ? threadIdx.x / 16 + 1 : 4;
  for (int i = 0; i < trips; ++i) {
    __syncthreads();  // TRIPS
  }
  y[threadIdx.x] = trips;
}
__global__ void break_kernel(const int* x, int* y, bool wrong) {
  for (int i = 0; i < 4; ++i) {
    const bool stop = x[threadIdx.x] < i * 16;
    if (wrong ? stop : __syncthreads_and(stop)) break;
    __syncthreads();  // BREAK
  }
  y[threadIdx.x] = 1;
}
__global__ void count_kernel(const int* x, int* y, bool wrong) {
  if (!wrong || x[threadIdx.x] > 10) {
    y[threadIdx.x] = __syncthreads_count(x[threadIdx.x] > 10);  // COUNT
  }
}
__global__ void half_warp_kernel(const int* x, int* y, bool wrong) {
  int v = x[threadIdx.x];
  if (threadIdx.x < 16) {
    v += __shfl_xor_sync(wrong ? 0xffffffff : 0xffff, v, 8);  // HALF_WARP
  }
  __syncthreads();
  y[threadIdx.x] = v;
}
__global__ void other_mask_kernel(const int* x, int* y, bool wrong) {
  const unsigned mask = threadIdx.x < 16 || wrong ? 0x0000ffff : 0xffff0000;
  y[threadIdx.x] = __shfl_sync(mask, x[threadIdx.x], threadIdx.x & 16);  // OTHER_MASK
}
__global__ void warp_barrier_kernel(int* y, bool wrong) {
  if (threadIdx.x < 8) {
    __syncwarp(wrong ? 0xffffffff : 0xff);  // WARP_BARRIER
    y[threadIdx.x] = 1;
  }
  __syncthreads();
}
__global__ void vote_kernel(const int* x, int* y, bool wrong) {
  int any = 0;
  if (x[threadIdx.x] % 2 == 0) any = __any_sync(wrong ? 0xffffffffu : 0x55555555u, 1);  // VOTE
  __syncthreads();
  y[threadIdx.x] = any;
}
__global__ void tile_kernel(int* y, bool wrong) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  if (!wrong || tile.thread_rank() < 4) {
    tile.sync();  // TILE
  }
  cg::this_thread_block().sync();
  y[threadIdx.x] = tile.thread_rank();
}
__global__ void group_kernel(int* y, bool wrong) {
  auto block = cg::this_thread_block();
  if (wrong ? block.thread_rank() != 0 : true) {
    block.sync();  // GROUP
  }
  y[threadIdx.x] = 1;
}

torch::Tensor run(const std::string& what, bool wrong) {
  auto y = torch::zeros({64}, torch::device(torch::kCUDA).dtype(torch::kInt));
  auto x = torch::arange(64, y.options());
  int *in = x.data_ptr<int>(), *out = y.data_ptr<int>();
  if (what == "branch") branch_kernel<<<1, 64>>>(out, wrong);
  if (what == "two") two_kernel<<<1, 64>>>(out, wrong);
  if (what == "early") early_kernel<<<1, 64>>>(out, 50, wrong);
  if (what == "trips") trips_kernel<<<1, 64>>>(out, wrong);
  if (what == "break") break_kernel<<<1, 64>>>(in, out, wrong);
  if (what == "count") count_kernel<<<1, 64>>>(in, out, wrong);
  if (what == "half_warp") half_warp_kernel<<<1, 32>>>(in, out, wrong);
  if (what == "other_mask") other_mask_kernel<<<1, 32>>>(in, out, wrong);
  if (what == "warp_barrier") warp_barrier_kernel<<<1, 64>>>(out, wrong);
  if (what == "vote") vote_kernel<<<1, 32>>>(in, out, wrong);
  if (what == "tile") tile_kernel<<<1, 64>>>(out, wrong);
  if (what == "group") group_kernel<<<1, 64>>>(out, wrong);
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
