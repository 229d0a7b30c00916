// Shuffles of every type and width, votes and matches with masks, and lanes that diverge and
// reconverge.
#include <torch/extension.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <type_traits>

#define ALL_LANES 0xffffffffu

__device__ double plain(__half v) { return __half2float(v); }
__device__ double plain(__nv_bfloat16 v) { return __bfloat162float(v); }
template <typename T>
__device__ double plain(T v) { return static_cast<double>(v); }
template <typename T>
__device__ T typed(int v) {
  if constexpr (std::is_same_v<T, __half>) return __float2half(v);
  else if constexpr (std::is_same_v<T, __nv_bfloat16>) return __float2bfloat16(v);
  else return static_cast<T>(v);
}

template <typename T, int kWidth>
__device__ void widths(T v, double* y, int n) {
  y[0] = plain(__shfl_sync(ALL_LANES, v, 1, kWidth));
  y[n] = plain(__shfl_up_sync(ALL_LANES, v, 1, kWidth));
  y[2 * n] = plain(__shfl_down_sync(ALL_LANES, v, 3, kWidth));
  y[3 * n] = plain(__shfl_xor_sync(ALL_LANES, v, 2, kWidth));
  if constexpr (kWidth < 32) widths<T, kWidth * 2>(v, y + 4 * n, n);
}
template <typename T>
__global__ void width_kernel(const int* x, double* y) {
  widths<T, 2>(typed<T>(x[threadIdx.x]), y + threadIdx.x, blockDim.x);
}
torch::Tensor every_width(torch::Tensor x, int type) {
  const int n = x.numel();
  auto y = torch::zeros({20, n}, x.options().dtype(torch::kDouble));
  double* out = y.data_ptr<double>();
  const int* in = x.data_ptr<int>();
  switch (type) {
    case 0: width_kernel<int><<<1, n>>>(in, out); break;
    case 1: width_kernel<unsigned><<<1, n>>>(in, out); break;
    case 2: width_kernel<long long><<<1, n>>>(in, out); break;
    case 3: width_kernel<unsigned long long><<<1, n>>>(in, out); break;
    case 4: width_kernel<float><<<1, n>>>(in, out); break;
    case 5: width_kernel<double><<<1, n>>>(in, out); break;
    case 6: width_kernel<__half><<<1, n>>>(in, out); break;
    case 7: width_kernel<__nv_bfloat16><<<1, n>>>(in, out); break;
    case 8: width_kernel<long><<<1, n>>>(in, out); break;
  }
  return y;
}

__global__ void pair_shuffle_kernel(const __half2* x, __half2* y) {
  __half2 v = x[threadIdx.x];
  for (int offset = 16; offset > 0; offset >>= 1) {
    v = __hadd2(v, __shfl_xor_sync(ALL_LANES, v, offset));
  }
  y[threadIdx.x] = v;
}
torch::Tensor pair_sums(torch::Tensor x) {
  auto y = torch::empty_like(x);
  pair_shuffle_kernel<<<1, x.numel() / 2>>>(
      reinterpret_cast<const __half2*>(x.data_ptr<at::Half>()),
      reinterpret_cast<__half2*>(y.data_ptr<at::Half>()));
  return y;
}

// Only the lanes of a mask take part; the other lanes do something else.
__global__ void masked_kernel(const int* x, int* y) {
  const int t = threadIdx.x, lane = t % 32, n = blockDim.x, v = x[t];
  const unsigned mask = 0x0f0ff0f1;
  if ((mask >> lane) & 1) {
    y[t] = __ballot_sync(mask, v & 1);
    y[n + t] = __any_sync(mask, v > 90);
    y[2 * n + t] = __all_sync(mask, v > 5);
    y[3 * n + t] = __match_any_sync(mask, v % 4);
    y[4 * n + t] = __reduce_add_sync(mask, v);
    y[5 * n + t] = __reduce_min_sync(mask, v);
    y[6 * n + t] = __reduce_max_sync(mask, (unsigned)v);
    y[7 * n + t] = __reduce_and_sync(mask, (unsigned)v);
    y[8 * n + t] = __reduce_or_sync(mask, (unsigned)v);
    y[9 * n + t] = __reduce_xor_sync(mask, (unsigned)v);
    y[10 * n + t] = __shfl_sync(mask, v, 4);
    __syncwarp(mask);
  } else {
    for (int k = 0; k < 11; ++k) y[k * n + t] = -7;
  }
}
__global__ void match_kernel(const int* x, int* y) {
  const int t = threadIdx.x, n = blockDim.x, v = x[t];
  int same;
  y[t] = __match_any_sync(ALL_LANES, (long long)(v % 5) << 40);
  y[n + t] = __match_any_sync(ALL_LANES, v % 2 ? 0.5f : 1.5f);
  y[2 * n + t] = __match_all_sync(ALL_LANES, v, &same);
  y[3 * n + t] = same;
  y[4 * n + t] = __match_all_sync(ALL_LANES, t / 32 * 0.25, &same);
  y[5 * n + t] = same;
}
torch::Tensor masked(torch::Tensor x) {
  auto y = torch::zeros({11, x.numel()}, x.options());
  masked_kernel<<<1, x.numel()>>>(x.data_ptr<int>(), y.data_ptr<int>());
  return y;
}
torch::Tensor matches(torch::Tensor x) {
  auto y = torch::zeros({6, x.numel()}, x.options());
  match_kernel<<<1, x.numel()>>>(x.data_ptr<int>(), y.data_ptr<int>());
  return y;
}

// Barriers of the block that also count or vote.
__global__ void counting_kernel(const int* x, int* y) {
  const int t = threadIdx.x, n = blockDim.x, v = x[blockIdx.x * n + t];
  int* out = y + blockIdx.x * 5 * n + t;
  out[0] = __syncthreads_count(v > 50);
  out[n] = __syncthreads_and(v >= 0);
  out[2 * n] = __syncthreads_and(v > 50);
  out[3 * n] = __syncthreads_or(v > 99);
  out[4 * n] = __syncthreads_or(v == 17);
}
torch::Tensor counting(torch::Tensor x) {
  auto y = torch::zeros({x.size(0), 5, x.size(1)}, x.options());
  counting_kernel<<<x.size(0), x.size(1)>>>(x.data_ptr<int>(), y.data_ptr<int>());
  return y;
}

// Lanes leave a loop one after the other, and a part of the last warp returns early.
__global__ void leaving_kernel(int* y) {
  const int t = threadIdx.x, lane = t % 32;
  if (lane >= 24) return;
  int rounds = 0;
  for (int left = lane; left > 0; --left) {
    ++rounds;
    __syncwarp(__activemask());
  }
  const unsigned mask = 0x00ffffff;
  __syncwarp(mask);
  y[t] = rounds + __shfl_sync(mask, rounds, 23);
}
torch::Tensor leaving() {
  auto y = torch::zeros({64}, torch::device(torch::kCUDA).dtype(torch::kInt));
  leaving_kernel<<<1, 64>>>(y.data_ptr<int>());
  return y;
}

// A segmented scan by ballots, a bit reversal by exchanges, and a transposition within a warp.
__global__ void segment_kernel(const int* flags, const int* x, int* y) {
  const int t = threadIdx.x, lane = t & 31;
  const unsigned heads = __ballot_sync(ALL_LANES, flags[t] || lane == 0);
  const int first = 31 - __clz(heads & (0xffffffffu >> (31 - lane)));
  int sum = x[t];
  for (int d = 1; d < 32; d <<= 1) {
    const int other = __shfl_up_sync(ALL_LANES, sum, d);
    if (lane - d >= first) sum += other;
  }
  y[t] = sum;
}
torch::Tensor segments(torch::Tensor flags, torch::Tensor x) {
  auto y = torch::zeros_like(x);
  segment_kernel<<<1, x.numel()>>>(flags.data_ptr<int>(), x.data_ptr<int>(), y.data_ptr<int>());
  return y;
}
__global__ void warp_transpose_kernel(const float* x, float* y) {
  float row[4];
  const int lane = threadIdx.x, quad = lane % 4;
  for (int k = 0; k < 4; ++k) row[k] = x[lane * 4 + k];
#pragma unroll
  for (int step = 1; step < 4; ++step) {
    const float give = row[quad ^ step];
    row[quad ^ step] = __shfl_xor_sync(ALL_LANES, give, step, 4);
  }
  for (int k = 0; k < 4; ++k) y[lane * 4 + k] = row[k];
}
torch::Tensor warp_transpose(torch::Tensor x) {
  auto y = torch::zeros_like(x);
  warp_transpose_kernel<<<1, 32>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}
// Two-dimensional blocks: lanes are numbered along x first, then y.
__global__ void lane_order_kernel(int* y) {
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  y[t] = __shfl_sync(ALL_LANES, t, 0) * 1000 + __popc(__ballot_sync(ALL_LANES, threadIdx.x == 0));
}
torch::Tensor lane_order(int columns, int rows) {
  auto y = torch::zeros({columns * rows}, torch::device(torch::kCUDA).dtype(torch::kInt));
  lane_order_kernel<<<1, dim3(columns, rows)>>>(y.data_ptr<int>());
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("every_width", &every_width);
  m.def("pair_sums", &pair_sums);
  m.def("masked", &masked);
  m.def("matches", &matches);
  m.def("counting", &counting);
  m.def("leaving", &leaving);
  m.def("segments", &segments);
  m.def("warp_transpose", &warp_transpose);
  m.def("lane_order", &lane_order);
}
