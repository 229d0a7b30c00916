// Atomics of every type, and patterns that are based on them.
#include <torch/extension.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void integer_kernel(const int* x, int* s, unsigned* u, unsigned long long* l,
                               long long* m, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int v = x[i];
  atomicAdd(&s[0], v);
  atomicSub(&s[1], v);
  atomicMin(&s[2], v);
  atomicMax(&s[3], v);
  atomicAnd(&s[4], v);
  atomicOr(&s[5], v);
  atomicXor(&s[6], v);
  atomicAdd(&u[0], 3u);
  atomicInc(&u[1], 6u);
  atomicDec(&u[2], 6u);
  atomicAdd(&l[0], 1ull << 33);
  atomicMax(&l[1], (unsigned long long)v);
  atomicMin(&m[0], (long long)-v);
  atomicExch(&s[7], 17);
  if (atomicCAS(&s[8], 0, 1) == 0) atomicAdd(&s[9], 1);
}
std::vector<torch::Tensor> integers(torch::Tensor x) {
  auto s = torch::zeros({10}, x.options());
  s[2] = INT_MAX;
  s[3] = INT_MIN;
  s[4] = -1;
  auto u = torch::zeros({3}, x.options());
  auto l = torch::zeros({2}, x.options().dtype(torch::kLong));
  auto m = torch::zeros({1}, x.options().dtype(torch::kLong));
  integer_kernel<<<(x.numel() + 63) / 64, 64>>>(
      x.data_ptr<int>(), s.data_ptr<int>(), reinterpret_cast<unsigned*>(u.data_ptr<int>()),
      reinterpret_cast<unsigned long long*>(l.data_ptr<int64_t>()),
      reinterpret_cast<long long*>(m.data_ptr<int64_t>()), x.numel());
  return {s, u, l, m};
}

template <typename T, typename Device>
__global__ void sum_kernel(const T* x, Device* total, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, static_cast<Device>(x[i]));
}
torch::Tensor sum(torch::Tensor x) {
  auto total = torch::zeros({1}, x.options());
  const int n = x.numel(), blocks = (n + 31) / 32;
  switch (x.scalar_type()) {
    case torch::kFloat:
      sum_kernel<<<blocks, 32>>>(x.data_ptr<float>(), total.data_ptr<float>(), n);
      break;
    case torch::kDouble:
      sum_kernel<<<blocks, 32>>>(x.data_ptr<double>(), total.data_ptr<double>(), n);
      break;
    case torch::kHalf:
      sum_kernel<<<blocks, 32>>>(reinterpret_cast<__half*>(x.data_ptr<at::Half>()),
                                 reinterpret_cast<__half*>(total.data_ptr<at::Half>()), n);
      break;
    default:
      sum_kernel<<<blocks, 32>>>(
          reinterpret_cast<__nv_bfloat16*>(x.data_ptr<at::BFloat16>()),
          reinterpret_cast<__nv_bfloat16*>(total.data_ptr<at::BFloat16>()), n);
  }
  return total;
}

__global__ void histogram_kernel(const int* x, int* counts, int n, int bins) {
  extern __shared__ int local[];
  for (int i = threadIdx.x; i < bins; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[x[i]], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < bins; i += blockDim.x) atomicAdd(counts + i, local[i]);
}
torch::Tensor histogram(torch::Tensor x, int bins) {
  auto counts = torch::zeros({bins}, x.options());
  histogram_kernel<<<4, 128, bins * sizeof(int)>>>(x.data_ptr<int>(), counts.data_ptr<int>(),
                                                   x.numel(), bins);
  return counts;
}

// The maximum of floats by compare-and-swap on its bits.
__device__ float atomic_max_float(float* address, float value) {
  int* const bits = (int*)address;
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}
__global__ void max_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomic_max_float(y, x[i]);
}
torch::Tensor largest(torch::Tensor x) {
  auto y = torch::full({1}, -INFINITY, x.options());
  max_kernel<<<(x.numel() + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}

// The last block to finish sums the results of all blocks.
__device__ unsigned int finished = 0;
__global__ void last_block_kernel(const float* x, float* partial, float* y, int n) {
  __shared__ float sums[64];
  __shared__ bool is_last;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int i = 0; i < blockDim.x; ++i) total += sums[i];
    partial[blockIdx.x] = total;
    __threadfence();
    is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float total = 0;
    for (int i = 0; i < gridDim.x; ++i) total += partial[i];
    y[0] = total;
  }
}
torch::Tensor last_block(torch::Tensor x) {
  auto partial = torch::empty({7}, x.options()), y = torch::empty({1}, x.options());
  last_block_kernel<<<7, 64>>>(x.data_ptr<float>(), partial.data_ptr<float>(),
                               y.data_ptr<float>(), x.numel());
  return y;
}

// A lock that one thread per warp takes: other threads of the block must make progress meanwhile.
__global__ void lock_kernel(int* lock, int* counter) {
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *(volatile int*)counter = *(volatile int*)counter + 1;
    __threadfence();
    atomicExch(lock, 0);
  }
  __syncthreads();
}
torch::Tensor with_lock() {
  auto state = torch::zeros({2}, torch::device(torch::kCUDA).dtype(torch::kInt32));
  lock_kernel<<<3, 256>>>(state.data_ptr<int>(), state.data_ptr<int>() + 1);
  return state;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("integers", &integers);
  m.def("sum", &sum);
  m.def("histogram", &histogram);
  m.def("largest", &largest);
  m.def("last_block", &last_block);
  m.def("with_lock", &with_lock);
}
