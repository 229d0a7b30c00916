// cooperative_groups: groups of groups, coalesced threads, partitions by label, collectives.
#include <torch/extension.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;
using namespace cooperative_groups;

__global__ void identity_kernel(int* y) {
  const thread_block block = this_thread_block();
  const int t = block.thread_rank(), n = block.num_threads();
  const auto tile32 = tiled_partition<32>(block);
  const auto tile8 = tiled_partition<8>(tile32);
  thread_block_tile<16> tile16 = tiled_partition<16>(this_thread_block());
  y[t] = block.group_index().x * 10000 + block.thread_index().y * 100 + block.group_dim().x;
  y[n + t] = tile32.meta_group_rank() * 100 + tile32.meta_group_size();
  y[2 * n + t] =
      tile8.meta_group_rank() * 1000 + tile8.meta_group_size() * 100 + tile8.thread_rank();
  y[3 * n + t] = tile16.size() * 100 + tile16.thread_rank();
  y[4 * n + t] = block.size() + tile16.num_threads() + block.dim_threads().y;
}
torch::Tensor identity(torch::Tensor like) {
  auto y = torch::zeros({5, 96}, like.options());
  identity_kernel<<<1, dim3(12, 8)>>>(y.data_ptr<int>());
  return y;
}

// A sum over any kind of group.
__device__ int sum_of(const thread_group& group, int* scratch, int v) {
  const int rank = group.thread_rank();
  for (int i = group.size() / 2; i > 0; i /= 2) {
    scratch[rank] = v;
    group.sync();
    if (rank < i) v += scratch[rank + i];
    group.sync();
  }
  return v;
}
__global__ void generic_kernel(const int* x, int* y) {
  extern __shared__ int scratch[];
  const thread_block block = this_thread_block();
  const int t = block.thread_rank(), n = block.size();
  const int whole = sum_of(block, scratch, x[t]);
  thread_group quarter = tiled_partition(block, 8);
  const int part = sum_of(quarter, scratch + t / 8 * 8, x[t]);
  auto tile = tiled_partition<16>(block);
  const int other = sum_of(tile, scratch + t / 16 * 16, x[t]);
  if (t == 0) y[0] = whole;
  if (quarter.thread_rank() == 0) y[1 + t / 8] = part;
  if (tile.thread_rank() == 0) y[1 + n / 8 + t / 16] = other;
}
torch::Tensor generic(torch::Tensor x) {
  const int n = x.numel();
  auto y = torch::zeros({1 + n / 8 + n / 16}, x.options());
  generic_kernel<<<1, n, n * sizeof(int)>>>(x.data_ptr<int>(), y.data_ptr<int>());
  return y;
}

template <unsigned kSize>
__global__ void shuffle_kernel(const int* x, int* y) {
  const auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
  const int t = threadIdx.x, n = blockDim.x, v = x[t];
  y[t] = tile.shfl(v, kSize - 1);
  y[n + t] = tile.shfl_up(v, 1);
  y[2 * n + t] = tile.shfl_down(v, 2);
  y[3 * n + t] = tile.shfl_xor(v, kSize / 2);
  y[4 * n + t] = tile.any(v > 90) + 2 * tile.all(v > 10);
  y[5 * n + t] = tile.ballot(v % 2);
  y[6 * n + t] = tile.match_any(v % 3);
  int same;
  y[7 * n + t] = tile.match_all(t / kSize, same) == (kSize == 32 ? 0xffffffffu : (1u << kSize) - 1);
  y[8 * n + t] = same;
  y[9 * n + t] = cg::reduce(tile, v, cg::plus<int>());
  y[10 * n + t] = cg::reduce(tile, v, [](int a, int b) { return a > b ? a : b; });
  y[11 * n + t] = cg::reduce(tile, (unsigned)v, cg::bit_xor<unsigned>());
  y[12 * n + t] = cg::inclusive_scan(tile, v);
  y[13 * n + t] = cg::exclusive_scan(tile, v);
  y[14 * n + t] = cg::inclusive_scan(tile, v, cg::greater<int>());
  tile.sync();
}
torch::Tensor shuffles(torch::Tensor x, int size) {
  auto y = torch::zeros({15, x.numel()}, x.options());
  const int* in = x.data_ptr<int>();
  int* out = y.data_ptr<int>();
  const int n = x.numel();
  if (size == 2) shuffle_kernel<2><<<1, n>>>(in, out);
  if (size == 4) shuffle_kernel<4><<<1, n>>>(in, out);
  if (size == 8) shuffle_kernel<8><<<1, n>>>(in, out);
  if (size == 16) shuffle_kernel<16><<<1, n>>>(in, out);
  if (size == 32) shuffle_kernel<32><<<1, n>>>(in, out);
  return y;
}

// The threads that took the same branch.
__global__ void coalesced_kernel(const int* x, int* y, int* count, int* list) {
  const int t = threadIdx.x, n = blockDim.x;
  if (x[t] % 3 == 0) {
    const coalesced_group active = coalesced_threads();
    y[t] = active.size();
    y[n + t] = active.thread_rank();
    y[2 * n + t] = cg::reduce(active, x[t], cg::plus<int>());
    y[3 * n + t] = active.shfl(x[t], 0);
    y[4 * n + t] = active.ballot(x[t] > 50);
    int base = 0;
    if (active.thread_rank() == 0) base = atomicAdd(count, active.size());
    list[active.shfl(base, 0) + active.thread_rank()] = x[t];
    active.sync();
  }
}
std::vector<torch::Tensor> coalesced(torch::Tensor x) {
  const int n = x.numel();
  auto y = torch::full({5, n}, -1, x.options()), count = torch::zeros({1}, x.options());
  auto list = torch::full({n}, -1, x.options());
  coalesced_kernel<<<1, n>>>(x.data_ptr<int>(), y.data_ptr<int>(), count.data_ptr<int>(),
                             list.data_ptr<int>());
  return {y, count, list};
}

// Partitions a warp by a value of each thread.
__global__ void partition_kernel(const int* x, int* y) {
  const int t = threadIdx.x, n = blockDim.x;
  const auto tile = tiled_partition<32>(this_thread_block());
  const coalesced_group same = labeled_partition(tile, x[t] % 4);
  y[t] = same.size();
  y[n + t] = cg::reduce(same, x[t], cg::plus<int>());
  const coalesced_group side = binary_partition(tile, x[t] > 50);
  y[2 * n + t] = side.size() * 100 + side.thread_rank();
  y[3 * n + t] = cg::inclusive_scan(side, 1, cg::plus<int>());
  invoke_one(tile, [&] { y[4 * n + t] = 1; });
}
torch::Tensor partitions(torch::Tensor x) {
  auto y = torch::zeros({5, x.numel()}, x.options());
  partition_kernel<<<1, x.numel()>>>(x.data_ptr<int>(), y.data_ptr<int>());
  return y;
}

// A block's sum as libraries compute it: by tiles, and then by the first tile.
__global__ void block_sum_kernel(const float* x, float* y, int n) {
  __shared__ float partial[8];
  const cg::thread_block cta = cg::this_thread_block();
  const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cta);
  float sum = 0.0f;
  for (int i = cta.thread_rank(); i < n; i += cta.size()) sum += x[blockIdx.x * n + i];
  sum = cg::reduce(tile, sum, cg::plus<float>());
  if (tile.thread_rank() == 0) partial[tile.meta_group_rank()] = sum;
  cg::sync(cta);
  if (tile.meta_group_rank() == 0) {
    sum = tile.thread_rank() < tile.meta_group_size() ? partial[tile.thread_rank()] : 0.0f;
    sum = cg::reduce(tile, sum, cg::plus<float>());
    if (tile.thread_rank() == 0) y[blockIdx.x] = sum;
  }
}
torch::Tensor block_sums(torch::Tensor x) {
  auto y = torch::empty({x.size(0)}, x.options());
  block_sum_kernel<<<x.size(0), 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}

// Separate arrive and wait.
__global__ void split_kernel(const int* x, int* y) {
  __shared__ int values[64];
  auto block = this_thread_block();
  values[threadIdx.x] = x[threadIdx.x];
  auto token = block.barrier_arrive();
  const int own = x[threadIdx.x] * 2;
  block.barrier_wait(std::move(token));
  y[threadIdx.x] = own + values[63 - threadIdx.x];
}
torch::Tensor split(torch::Tensor x) {
  auto y = torch::empty_like(x);
  split_kernel<<<1, 64>>>(x.data_ptr<int>(), y.data_ptr<int>());
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("identity", &identity);
  m.def("generic", &generic);
  m.def("shuffles", &shuffles);
  m.def("coalesced", &coalesced);
  m.def("partitions", &partitions);
  m.def("block_sums", &block_sums);
  m.def("split", &split);
}
