// Shuffles, votes, matches and reductions in warps.
#include <torch/extension.h>
#include <cuda_runtime.h>

__inline__ __device__ float warp_sum(float v) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
  return v;
}
__global__ void row_sum_kernel(const float* x, float* y, int n) {
  static __shared__ float partial[32];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[blockIdx.x * n + i];
  sum = warp_sum(sum);
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  sum = threadIdx.x < blockDim.x / 32 ? partial[lane] : 0.0f;
  if (warp == 0) sum = warp_sum(sum);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
torch::Tensor row_sum(torch::Tensor x, int64_t threads) {
  auto y = torch::empty({x.size(0)}, x.options());
  row_sum_kernel<<<x.size(0), threads>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}

// One row of results for each form, with one thread per lane.
__global__ void shuffle_kernel(const int* x, int* y) {
  const int t = threadIdx.x, n = blockDim.x;
  const int v = x[t];
  y[0 * n + t] = __shfl_sync(0xffffffff, v, 5);
  y[1 * n + t] = __shfl_sync(0xffffffff, v, 3, 8);
  y[2 * n + t] = __shfl_up_sync(0xffffffff, v, 2);
  y[3 * n + t] = __shfl_up_sync(0xffffffff, v, 1, 4);
  y[4 * n + t] = __shfl_down_sync(0xffffffff, v, 3);
  y[5 * n + t] = __shfl_down_sync(0xffffffff, v, 1, 16);
  y[6 * n + t] = __shfl_xor_sync(0xffffffff, v, 7);
  y[7 * n + t] = __shfl_xor_sync(0xffffffff, v, 1, 2);
  const double d = __shfl_sync(0xffffffff, (double)v * 0.5, 31);
  y[8 * n + t] = (int)(d * 2);
  const long long l = __shfl_xor_sync(0xffffffff, (long long)v << 33, 16);
  y[9 * n + t] = (int)(l >> 33);
}
__global__ void vote_kernel(const int* x, int* y) {
  const int t = threadIdx.x, n = blockDim.x, v = x[t];
  y[0 * n + t] = __ballot_sync(0xffffffff, v & 1);
  y[1 * n + t] = __any_sync(0xffffffff, v > 1000);
  y[2 * n + t] = __all_sync(0xffffffff, v >= 0);
  y[3 * n + t] = __popc(__activemask());
  y[4 * n + t] = __match_any_sync(0xffffffff, v % 3);
  int all = 0;
  y[5 * n + t] = __match_all_sync(0xffffffff, t / 32, &all);
  y[6 * n + t] = all;
  y[7 * n + t] = __reduce_add_sync(0xffffffff, v);
  y[8 * n + t] = __reduce_max_sync(0xffffffff, v);
  y[9 * n + t] = __reduce_min_sync(0xffffffff, (unsigned)v);
}
torch::Tensor run(torch::Tensor x, bool votes) {
  auto y = torch::zeros({10, x.numel()}, x.options());
  if (votes) {
    vote_kernel<<<1, x.numel()>>>(x.data_ptr<int>(), y.data_ptr<int>());
  } else {
    shuffle_kernel<<<1, x.numel()>>>(x.data_ptr<int>(), y.data_ptr<int>());
  }
  return y;
}

// The halves of a warp diverge and reconverge.
__global__ void divergent_kernel(int* y) {
  const int lane = threadIdx.x % 32;
  int v = threadIdx.x;
  if (lane < 16) {
    for (int i = 0; i < 3; ++i) v += __shfl_xor_sync(0x0000ffff, v, 1 << i);
  } else {
    v = __shfl_sync(0xffff0000, v, 20);
    __syncwarp(0xffff0000);
  }
  __syncwarp();
  y[threadIdx.x] = __shfl_down_sync(0xffffffff, v, 1);
}
torch::Tensor divergent() {
  auto y = torch::zeros({64}, torch::device(torch::kCUDA).dtype(torch::kInt32));
  divergent_kernel<<<1, 64>>>(y.data_ptr<int>());
  return y;
}

// An inclusive scan over a block, warp by warp.
__global__ void scan_kernel(const int* x, int* y, int n) {
  __shared__ int totals[32];
  const int i = threadIdx.x, lane = i & 31, warp = i >> 5;
  int v = i < n ? x[i] : 0;
  for (int d = 1; d < 32; d <<= 1) {
    const int other = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += other;
  }
  if (lane == 31) totals[warp] = v;
  __syncthreads();
  if (warp == 0) {
    int t = lane < blockDim.x / 32 ? totals[lane] : 0;
    for (int d = 1; d < 32; d <<= 1) {
      const int other = __shfl_up_sync(0xffffffffu, t, d);
      if (lane >= d) t += other;
    }
    totals[lane] = t;
  }
  __syncthreads();
  if (warp > 0) v += totals[warp - 1];
  if (i < n) y[i] = v;
}
torch::Tensor scan(torch::Tensor x) {
  auto y = torch::empty_like(x);
  scan_kernel<<<1, (x.numel() + 31) / 32 * 32>>>(x.data_ptr<int>(), y.data_ptr<int>(), x.numel());
  return y;
}

__global__ void absent_kernel(float* y) {
  float v = 1.0f;
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
  y[threadIdx.x] = v;
}
torch::Tensor absent() {
  auto y = torch::zeros({16}, torch::device(torch::kCUDA));
  absent_kernel<<<1, 16>>>(y.data_ptr<float>());
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("row_sum", &row_sum);
  m.def("run", &run);
  m.def("divergent", &divergent);
  m.def("scan", &scan);
  m.def("absent", &absent);
}
