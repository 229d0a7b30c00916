// Shared memory: static and dynamic, partitioned, in macros, unions, structures, device functions
// and templates.
#include <torch/extension.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// An array of every element type; the sum of neighbours.
template <typename T>
__global__ void typed_kernel(const T* x, T* y, int n) {
  __shared__ T values[128];
  const int t = threadIdx.x;
  values[t] = t < n ? x[t] : T(0);
  __syncthreads();
  if (t < n) y[t] = values[t] + values[(t + 1) % n];
}
torch::Tensor typed(torch::Tensor x) {
  auto y = torch::empty_like(x);
  AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "typed", [&] {
    typed_kernel<scalar_t><<<1, 128>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.numel());
  });
  return y;
}

// One dynamic array for three arrays: doubles first, then ints, then bytes.
extern __shared__ double pool[];
__global__ void carved_kernel(const float* x, float* y, int n) {
  double* sums = pool;
  int* counts = (int*)&sums[n];
  unsigned char* flags = reinterpret_cast<unsigned char*>(counts + n);
  const int t = threadIdx.x;
  if (t < n) {
    sums[t] = x[t];
    counts[t] = t;
    flags[t] = x[t] > 0 ? 1 : 0;
  }
  __syncthreads();
  if (t < n) y[t] = sums[n - 1 - t] + counts[(t + 3) % n] * 100 + flags[(t + 1) % n] * 0.5f;
}
// The same name with another type, in a template and with an alignment.
template <typename T>
__global__ void aligned_kernel(const float* x, float* y, int n) {
  extern __shared__ __align__(sizeof(double2)) unsigned char bytes[];
  T* data = reinterpret_cast<T*>(bytes);
  data[threadIdx.x] = static_cast<T>(x[threadIdx.x] * 4);
  __syncthreads();
  y[threadIdx.x] = static_cast<float>(data[(threadIdx.x + 1) % n]);
}
__global__ void vector_pool_kernel(const float4* x, float* y, int n4) {
  extern __shared__ float4 quads[];
  quads[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  const float* flat = reinterpret_cast<const float*>(quads);
  for (int i = threadIdx.x; i < 4 * n4; i += blockDim.x) y[i] = flat[4 * n4 - 1 - i];
}
torch::Tensor dynamic(torch::Tensor x, int how) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  const float* in = x.data_ptr<float>();
  float* out = y.data_ptr<float>();
  if (how == 0) {
    const size_t bytes = n * (sizeof(double) + sizeof(int) + 1);
    carved_kernel<<<1, (n + 31) / 32 * 32, bytes>>>(in, out, n);
  }
  if (how == 1) aligned_kernel<int><<<1, n, n * sizeof(int)>>>(in, out, n);
  if (how == 2) aligned_kernel<double><<<1, n, n * sizeof(double)>>>(in, out, n);
  if (how == 3) {
    vector_pool_kernel<<<1, n / 4, n * sizeof(float)>>>((const float4*)in, out, n / 4);
  }
  return y;
}

// Two and three dimensions, sizes from constants, macros and template parameters, and several
// arrays in one declaration.
#define PAD 1
constexpr int kRows = 4;
template <int kColumns, int kDepth>
__global__ void shaped_kernel(const float* x, float* y) {
  __shared__ float cube[kDepth][kRows][kColumns + PAD], (*plane)[kColumns + PAD], total;
  const int c = threadIdx.x, r = threadIdx.y, d = threadIdx.z;
  cube[d][r][c] = x[(d * kRows + r) * kColumns + c];
  if (c == 0 && r == 0 && d == 0) {
    plane = cube[1];
    total = 0.0f;
  }
  __syncthreads();
  atomicAdd(&total, plane[r][c]);
  __syncthreads();
  y[(d * kRows + r) * kColumns + c] = cube[kDepth - 1 - d][kRows - 1 - r][kColumns - 1 - c] + total;
}
torch::Tensor shaped(torch::Tensor x) {
  auto y = torch::empty_like(x);
  shaped_kernel<8, 3><<<1, dim3(8, kRows, 3)>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

// A union of members that are used one after the other, and a structure with arrays and methods.
template <typename T, int kSize>
struct Stack {
  T items[kSize];
  int size;
  __device__ void clear() { size = 0; }
  __device__ void push(T v) { items[atomicAdd(&size, 1)] = v; }
};
__global__ void union_kernel(const int* x, int* y, int n) {
  __shared__ union {
    int integers[64];
    float floats[64];
    struct {
      short low, high;
    } halves[64];
  } both;
  __shared__ Stack<int, 64> even;
  __shared__ struct {
    int minimum, maximum;
  } range;
  const int t = threadIdx.x;
  if (t == 0) {
    even.clear();
    range.minimum = 1 << 30;
    range.maximum = -(1 << 30);
  }
  both.integers[t] = x[t];
  __syncthreads();
  const short low = both.halves[63 - t].low;
  if (x[t] % 2 == 0) even.push(x[t]);
  atomicMin(&range.minimum, x[t]);
  atomicMax(&range.maximum, x[t]);
  __syncthreads();
  both.floats[t] = low * 0.5f;
  __syncthreads();
  y[t] = static_cast<int>(both.floats[(t + 1) % 64] * 2);
  if (t == 0) {
    int sum = 0;
    for (int i = 0; i < even.size; ++i) sum += even.items[i];
    y[64] = even.size, y[65] = sum, y[66] = range.minimum, y[67] = range.maximum;
  }
}
torch::Tensor unions(torch::Tensor x) {
  auto y = torch::zeros({68}, x.options());
  union_kernel<<<1, 64>>>(x.data_ptr<int>(), y.data_ptr<int>(), x.numel());
  return y;
}

// Declared by a macro, in a device function that is called twice, in a lambda, in a method.
#define SHARED_ARRAY(type, name, count) __shared__ type name[count]
#define DEFINE_ROTATION(name, type, by)              \
  __global__ void name(const type* x, type* y) {     \
    __shared__ type turned[64];                      \
    turned[threadIdx.x] = x[threadIdx.x];            \
    __syncthreads();                                 \
    y[threadIdx.x] = turned[(threadIdx.x + by) % 64]; \
  }
DEFINE_ROTATION(rotate_three_kernel, float, 3)
DEFINE_ROTATION(rotate_five_kernel, float, 5)
__device__ float block_sum(float v) {
  SHARED_ARRAY(float, parts, 64);
  __syncthreads();
  parts[threadIdx.x] = v;
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < blockDim.x; ++i) sum += parts[i];
  return sum;
}
struct Mean {
  __device__ float operator()(float v) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0.0f;
    __syncthreads();
    atomicAdd(&sum, v);
    __syncthreads();
    return sum / blockDim.x;
  }
};
__global__ void scope_kernel(const float* x, float* y) {
  const float v = x[blockIdx.x * 64 + threadIdx.x];
  const float first = block_sum(v), second = block_sum(v * v);
  const auto last = [&](float w) {
    __shared__ float kept;
    if (threadIdx.x == blockDim.x - 1) kept = w;
    __syncthreads();
    return kept;
  };
  y[blockIdx.x * 64 + threadIdx.x] = first + 2 * second + 4 * last(v) + 8 * Mean()(v);
  if (blockIdx.x == 0) {
    __shared__ int inner;
    if (threadIdx.x == 0) inner = 1;
  }
}
torch::Tensor scopes(torch::Tensor x, int how) {
  auto y = torch::empty_like(x);
  if (how == 0) scope_kernel<<<x.size(0), 64>>>(x.data_ptr<float>(), y.data_ptr<float>());
  if (how == 3) rotate_three_kernel<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>());
  if (how == 5) rotate_five_kernel<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

// A queue in shared memory: some threads produce and the others consume, with barriers between
// rounds.
__global__ void queue_kernel(const float* x, float* y, int n) {
  __shared__ float ring[2][32];
  const bool producer = threadIdx.x < 32;
  const int lane = threadIdx.x % 32;
  if (producer) ring[0][lane] = x[lane];
  __syncthreads();
  for (int round = 0; round < n / 32; ++round) {
    if (producer) {
      if (round + 1 < n / 32) ring[(round + 1) % 2][lane] = x[(round + 1) * 32 + lane];
    } else {
      y[round * 32 + lane] = ring[round % 2][31 - lane];
    }
    __syncthreads();
  }
}
torch::Tensor queue(torch::Tensor x) {
  auto y = torch::empty_like(x);
  queue_kernel<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("typed", &typed);
  m.def("dynamic", &dynamic);
  m.def("shaped", &shaped);
  m.def("unions", &unions);
  m.def("scopes", &scopes);
  m.def("queue", &queue);
}
