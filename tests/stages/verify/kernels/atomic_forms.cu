// Atomics: every operation on every type, in global and shared memory, with block and system scope.
#include <torch/extension.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

typedef unsigned long long unsigned_wide;

// Eleven results: the final values of the words.
template <typename T>
__device__ void update(T* s, T v) {
  atomicAdd(&s[0], v);
  atomicMin(&s[1], v);
  atomicMax(&s[2], v);
  atomicAnd(&s[3], v);
  atomicOr(&s[4], v);
  atomicXor(&s[5], v);
  atomicExch(&s[6], T(7));
  atomicCAS(&s[7], T(0), T(9));
  atomicAdd_block(&s[8], v);
  atomicMax_system(&s[9], v);
  atomicOr_block(&s[10], v);
}
template <>
__device__ void update<long long>(long long* s, long long v) {
  // Only these exist for signed 64-bit words.
  atomicAdd(reinterpret_cast<unsigned_wide*>(&s[0]), static_cast<unsigned_wide>(v));
  atomicMin(&s[1], v);
  atomicMax(&s[2], v);
  atomicAnd(&s[3], v);
  atomicOr(&s[4], v);
  atomicXor(&s[5], v);
  atomicExch(reinterpret_cast<unsigned_wide*>(&s[6]), 7ull);
  atomicCAS(reinterpret_cast<unsigned_wide*>(&s[7]), 0ull, 9ull);
  atomicAdd_block(reinterpret_cast<unsigned_wide*>(&s[8]), static_cast<unsigned_wide>(v));
  atomicMax_system(&s[9], v);
  atomicOr_block(&s[10], v);
}
template <typename T>
__global__ void all_kernel(const T* x, T* y, int n, bool shared) {
  __shared__ T words[11];
  if (threadIdx.x < 11) words[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    update<T>(shared ? words : y, x[i]);
  }
  __syncthreads();
  if (shared && threadIdx.x < 11) y[threadIdx.x] = words[threadIdx.x];
}
template <typename T, typename Host>
void launch_all(torch::Tensor x, torch::Tensor y, bool shared) {
  all_kernel<T><<<shared ? 1 : 3, 64>>>(reinterpret_cast<const T*>(x.data_ptr<Host>()),
                                        reinterpret_cast<T*>(y.data_ptr<Host>()), x.numel(),
                                        shared);
}
torch::Tensor every(torch::Tensor x, torch::Tensor start, bool is_signed, bool shared) {
  auto y = start.clone();
  if (x.scalar_type() == torch::kInt) {
    is_signed ? launch_all<int, int>(x, y, shared) : launch_all<unsigned, int>(x, y, shared);
  } else {
    is_signed ? launch_all<long long, int64_t>(x, y, shared)
              : launch_all<unsigned_wide, int64_t>(x, y, shared);
  }
  return y;
}

// The return values: every value between the first and the last occurs once.
__global__ void returned_kernel(int* counter, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  y[i] = atomicAdd(&counter[0], 1);
  y[n + i] = atomicSub(&counter[1], 2);
  y[2 * n + i] = atomicInc(reinterpret_cast<unsigned*>(&counter[2]), 4u);
  y[3 * n + i] = atomicDec(reinterpret_cast<unsigned*>(&counter[3]), 4u);
  y[4 * n + i] = atomicExch(&counter[4], i);
  y[5 * n + i] = atomicAdd_system(&counter[5], 1);
}
torch::Tensor returned(torch::Tensor counter, int blocks, int threads) {
  auto y = torch::empty({6, blocks * threads}, counter.options());
  returned_kernel<<<blocks, threads>>>(counter.data_ptr<int>(), y.data_ptr<int>());
  return y;
}

__global__ void float_kernel(const float* x, float* f, double* d, int n) {
  __shared__ float shared_sum;
  __shared__ double shared_double;
  if (threadIdx.x == 0) shared_sum = 0, shared_double = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&f[0], x[i]);
    atomicAdd_system(&f[1], x[i]);
    atomicExch(&f[2], 5.0f);
    atomicAdd(&shared_sum, x[i]);
    atomicAdd(&d[0], static_cast<double>(x[i]));
    atomicAdd_block(&shared_double, static_cast<double>(x[i]));
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&f[3], shared_sum);
    atomicAdd(&d[1], shared_double);
  }
}
std::vector<torch::Tensor> floats(torch::Tensor x) {
  auto f = torch::zeros({4}, x.options()), d = torch::zeros({2}, x.options().dtype(torch::kDouble));
  float_kernel<<<(x.numel() + 63) / 64, 64>>>(x.data_ptr<float>(), f.data_ptr<float>(),
                                              d.data_ptr<double>(), x.numel());
  return {f, d};
}

template <typename One, typename Two>
__global__ void narrow_kernel(One* one, Two* two) {
  atomicAdd(one, One(1.0f));
  Two v;
  v.x = One(1.0f);
  v.y = One(2.0f);
  atomicAdd(two, v);
}
torch::Tensor narrow(torch::Tensor like) {
  auto y = torch::zeros({4}, like.options());
  if (like.scalar_type() == torch::kHalf) {
    __half* p = reinterpret_cast<__half*>(y.data_ptr<at::Half>());
    narrow_kernel<<<2, 32>>>(p, reinterpret_cast<__half2*>(p + 2));
  } else {
    __nv_bfloat16* p = reinterpret_cast<__nv_bfloat16*>(y.data_ptr<at::BFloat16>());
    narrow_kernel<<<2, 32>>>(p, reinterpret_cast<__nv_bfloat162*>(p + 2));
  }
  return y;
}

// Operations that a device lacks, implemented by compare-and-swap: a product, a maximum of doubles,
// a minimum of floats by their bits, a sum of 16-bit words.
__device__ float multiply(float* address, float v) {
  unsigned* words = reinterpret_cast<unsigned*>(address);
  unsigned seen = *words, assumed;
  do {
    assumed = seen;
    seen = atomicCAS(words, assumed, __float_as_uint(v * __uint_as_float(assumed)));
  } while (assumed != seen);
  return __uint_as_float(seen);
}
__device__ void largest(double* address, double v) {
  unsigned_wide* words = reinterpret_cast<unsigned_wide*>(address);
  unsigned_wide seen = *words, assumed;
  do {
    assumed = seen;
    if (__longlong_as_double(assumed) >= v) break;
    seen = atomicCAS(words, assumed, __double_as_longlong(v));
  } while (assumed != seen);
}
__device__ void smallest(float* address, float v) {
  if (v >= 0) {
    atomicMin(reinterpret_cast<int*>(address), __float_as_int(v));
  } else {
    atomicMax(reinterpret_cast<unsigned*>(address), __float_as_uint(v));
  }
}
__global__ void loop_kernel(const float* x, float* f, double* d, unsigned short* h, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  multiply(&f[0], i % 2 ? 2.0f : 0.5f);
  smallest(&f[1], x[i]);
  largest(d, x[i]);
  unsigned short seen = 0, assumed;
  do {
    assumed = seen;
    seen = atomicCAS(h, assumed, (unsigned short)(assumed + 3));
  } while (seen != assumed);
}
std::vector<torch::Tensor> loops(torch::Tensor x) {
  auto f = torch::ones({2}, x.options());
  f[1] = INFINITY;
  auto d = torch::full({1}, -INFINITY, x.options().dtype(torch::kDouble));
  auto h = torch::zeros({2}, x.options().dtype(torch::kInt16));
  loop_kernel<<<(x.numel() + 31) / 32, 32>>>(
      x.data_ptr<float>(), f.data_ptr<float>(), d.data_ptr<double>(),
      reinterpret_cast<unsigned short*>(h.data_ptr<int16_t>()), x.numel());
  return {f, d, h};
}

// Appends to a list with one atomic per warp: the leader reserves space for all lanes, and each
// lane counts the lanes before it.
__global__ void compact_kernel(const int* x, int* list, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool keep = i < n && x[i] % 3 == 0;
  const unsigned mask = __ballot_sync(0xffffffff, keep);
  const int lane = threadIdx.x % 32;
  if (keep) {
    const int leader = __ffs(mask) - 1;
    int base = 0;
    if (lane == leader) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(mask, base, leader);
    list[base + __popc(mask & ((1u << lane) - 1))] = x[i];
  }
}
std::vector<torch::Tensor> compact(torch::Tensor x) {
  auto list = torch::full({x.numel()}, -1, x.options()), count = torch::zeros({1}, x.options());
  compact_kernel<<<(x.numel() + 127) / 128, 128>>>(x.data_ptr<int>(), list.data_ptr<int>(),
                                                   count.data_ptr<int>(), x.numel());
  return {list, count};
}
// The same with the active lanes only.
__global__ void active_kernel(const int* x, int* list, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (x[i] % 3 == 0) {
    const unsigned mask = __activemask();
    const int lane = threadIdx.x % 32, leader = __ffs(mask) - 1;
    int base;
    if (lane == leader) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(mask, base, leader);
    list[base + __popc(mask & ((1u << lane) - 1))] = x[i];
  }
}
std::vector<torch::Tensor> compact_active(torch::Tensor x) {
  auto list = torch::full({x.numel()}, -1, x.options()), count = torch::zeros({1}, x.options());
  active_kernel<<<(x.numel() + 127) / 128, 128>>>(x.data_ptr<int>(), list.data_ptr<int>(),
                                                  count.data_ptr<int>(), x.numel());
  return {list, count};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("every", &every);
  m.def("returned", &returned);
  m.def("floats", &floats);
  m.def("narrow", &narrow);
  m.def("loops", &loops);
  m.def("compact", &compact);
  m.def("compact_active", &compact_active);
}
