// cooperative_groups: blocks, tiles, coalesced threads, reduce and scan.
#include <torch/extension.h>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

template <int kTile>
__global__ void tile_sum_kernel(const float* x, float* y, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<kTile> tile = cg::tiled_partition<kTile>(block);
  const int row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  float sum = 0.0f;
  for (int i = tile.thread_rank(); i < n; i += tile.size()) sum += x[row * n + i];
  for (int offset = tile.size() / 2; offset > 0; offset /= 2) sum += tile.shfl_down(sum, offset);
  if (tile.thread_rank() == 0) y[row] = sum;
}
torch::Tensor tile_sum(torch::Tensor x, int tile) {
  auto y = torch::empty({x.size(0)}, x.options());
  const int blocks = x.size(0) * tile / 64;
  const float* in = x.data_ptr<float>();
  float* out = y.data_ptr<float>();
  const int n = x.size(1);
  if (tile == 4) tile_sum_kernel<4><<<blocks, 64>>>(in, out, n);
  if (tile == 16) tile_sum_kernel<16><<<blocks, 64>>>(in, out, n);
  if (tile == 32) tile_sum_kernel<32><<<blocks, 64>>>(in, out, n);
  return y;
}

__global__ void collective_kernel(const int* x, int* y) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto quad = cg::tiled_partition<4>(block);
  const int t = block.thread_rank(), n = block.size(), v = x[t];
  y[0 * n + t] = cg::reduce(warp, v, cg::plus<int>());
  y[1 * n + t] = cg::reduce(quad, v, cg::greater<int>());
  y[2 * n + t] = cg::reduce(quad, v, cg::less<int>());
  y[3 * n + t] = cg::inclusive_scan(warp, v);
  y[4 * n + t] = cg::exclusive_scan(quad, v, cg::plus<int>());
  y[5 * n + t] = quad.shfl(v, 2);
  y[6 * n + t] = quad.shfl_up(v, 1);
  y[7 * n + t] = warp.shfl_xor(v, 5);
  y[8 * n + t] = quad.ballot(v & 1);
  y[9 * n + t] = warp.any(v > 90) + 2 * warp.all(v >= 0);
  cg::sync(block);
  block.sync();
  quad.sync();
}
torch::Tensor collectives(torch::Tensor x) {
  auto y = torch::zeros({10, x.numel()}, x.options());
  collective_kernel<<<1, x.numel()>>>(x.data_ptr<int>(), y.data_ptr<int>());
  return y;
}

__global__ void shared_copy_kernel(const float* x, float* y) {
  __shared__ float values[128];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, values, x + blockIdx.x * 128, sizeof(float) * 128);
  cg::wait(block);
  y[blockIdx.x * 128 + block.thread_rank()] = values[127 - block.thread_rank()];
}
torch::Tensor shared_copy(torch::Tensor x) {
  auto y = torch::empty_like(x);
  shared_copy_kernel<<<x.numel() / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

// Two halves of a buffer: one is copied to while the other is read. `left`: the copies that are not
// awaited before the reads; 1 is right.
template <unsigned kLeft>
__global__ void staged_copy_kernel(const float* x, float* y, int tiles) {
  __shared__ float values[2][64];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, values[0], x, sizeof(float) * 64);
  for (int tile = 0; tile < tiles; ++tile) {
    const int next = (tile + 1) % tiles;
    cg::memcpy_async(block, values[(tile + 1) % 2], x + next * 64, sizeof(float) * 64);
    cg::wait_prior<kLeft>(block);
    y[tile * 64 + threadIdx.x] = values[tile % 2][63 - threadIdx.x];
    block.sync();
  }
  cg::wait(block);
}
torch::Tensor staged_copy(torch::Tensor x, bool wrong) {
  auto y = torch::empty_like(x);
  const int tiles = x.numel() / 64;
  if (wrong) {
    staged_copy_kernel<2><<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), tiles);
  } else {
    staged_copy_kernel<1><<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), tiles);
  }
  return y;
}
__global__ void unawaited_copy_kernel(const float* x, float* y) {
  __shared__ float values[128];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, values, x, sizeof(float) * 128);
  __syncthreads();
  y[threadIdx.x] = values[threadIdx.x];
}
torch::Tensor unawaited_copy(torch::Tensor x) {
  auto y = torch::empty_like(x);
  unawaited_copy_kernel<<<1, 128>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}
// What does not go from global to shared memory is copied at once.
__global__ void plain_copy_kernel(const float* x, float* y) {
  cg::memcpy_async(cg::this_thread_block(), y, x, sizeof(float) * 128);
}
torch::Tensor plain_copy(torch::Tensor x) {
  auto y = torch::zeros_like(x);
  plain_copy_kernel<<<1, 128>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("tile_sum", &tile_sum);
  m.def("collectives", &collectives);
  m.def("shared_copy", &shared_copy);
  m.def("staged_copy", &staged_copy);
  m.def("unawaited_copy", &unawaited_copy);
  m.def("plain_copy", &plain_copy);
}
