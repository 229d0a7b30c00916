// Features of C++ and CUDA that kernels can use.
#include <torch/extension.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <type_traits>

static torch::Tensor float_tensor(int64_t n) {
  return torch::full({n}, -1.0f, torch::device(torch::kCUDA).dtype(torch::kFloat32));
}
static torch::Tensor int_tensor(int64_t n) {
  return torch::full({n}, -1, torch::device(torch::kCUDA).dtype(torch::kInt32));
}

namespace outer {
namespace inner {
__global__ void nested_kernel(int* y) { y[threadIdx.x] = threadIdx.x + 1; }
template <typename T>
struct Functions {
  static __device__ T twice(T v) { return v + v; }
};
}  // namespace inner
namespace {
__global__ void anonymous_kernel(int* y) {
  y[threadIdx.x] = inner::Functions<int>::twice(threadIdx.x);
}
}  // namespace
torch::Tensor call(bool nested) {
  auto y = int_tensor(40);
  if (nested) {
    ::outer::inner::nested_kernel<<<1, 40>>>(y.data_ptr<int>());
  } else {
    anonymous_kernel<<<1, 40>>>(y.data_ptr<int>());
  }
  return y;
}
}  // namespace outer

extern "C" __global__ void __launch_bounds__(64, 2) bounded_kernel(int* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = n - i;
}
__global__ __launch_bounds__(128) void other_bounds_kernel(int* y) { y[threadIdx.x] += 1; }
template <int kThreads>
__global__ void __launch_bounds__(kThreads) template_bounds_kernel(int* y) {
  y[threadIdx.x] += kThreads;
}
torch::Tensor bounds() {
  auto y = int_tensor(64);
  bounded_kernel<<<2, 32>>>(y.data_ptr<int>(), 64);
  other_bounds_kernel<<<1, 64>>>(y.data_ptr<int>());
  template_bounds_kernel<64><<<1, 64>>>(y.data_ptr<int>());
  return y;
}

// A macro that defines kernels, and one that launches them.
#define DEFINE_UNARY(name, expression)                                     \
  __global__ void name##_kernel(const float* x, float* y, int n) {         \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                   \
    if (i < n) {                                                           \
      const float v = x[i];                                                \
      y[i] = (expression);                                                 \
    }                                                                      \
  }                                                                        \
  torch::Tensor name(torch::Tensor x) {                                    \
    auto y = torch::empty_like(x);                                         \
    const int n = x.numel();                                               \
    name##_kernel<<<(n + 63) / 64, 64>>>(x.data_ptr<float>(),              \
                                         y.data_ptr<float>(), n);          \
    return y;                                                              \
  }
DEFINE_UNARY(cubed, v* v* v)
DEFINE_UNARY(clipped, v > 1.0f ? 1.0f : (v < -1.0f ? -1.0f : v))

enum class Mode { kAdd, kMultiply, kPower };
template <Mode kMode, typename T>
__device__ __forceinline__ T combine(T a, T b) {
  if constexpr (kMode == Mode::kAdd) {
    return a + b;
  } else if constexpr (kMode == Mode::kMultiply) {
    return a * b;
  } else {
    static_assert(std::is_floating_point_v<T>);
    return pow(a, b);
  }
}
template <Mode kMode, typename T, int... kSteps>
__global__ void folded_kernel(T* y) {
  T value = T(threadIdx.x);
  ((value = combine<kMode>(value, T(kSteps))), ...);
  y[threadIdx.x] = value;
}
torch::Tensor folded(int mode) {
  auto y = float_tensor(16);
  float* out = y.data_ptr<float>();
  if (mode == 0) folded_kernel<Mode::kAdd, float, 1, 2, 3><<<1, 16>>>(out);
  if (mode == 1) folded_kernel<Mode::kMultiply, float, 2, 2><<<1, 16>>>(out);
  if (mode == 2) folded_kernel<Mode::kPower, float, 2><<<dim3(1), dim3(16)>>>(out);
  return y;
}

template <typename F>
__global__ void for_each_kernel(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}
struct AddTo {
  const float* x;
  float* y;
  float by;
  __device__ void operator()(int i) const { y[i] = x[i] + by; }
};
torch::Tensor functor(torch::Tensor x, double by) {
  auto y = torch::empty_like(x);
  AddTo add{x.data_ptr<float>(), y.data_ptr<float>(), static_cast<float>(by)};
  for_each_kernel<<<3, 32>>>(x.numel(), add);
  return y;
}

// Classes with state, inheritance, virtual calls, operators and a local lambda.
class Accumulator {
 public:
  __device__ explicit Accumulator(float start) : sum_(start) {}
  __device__ Accumulator& operator+=(float v) {
    sum_ += v;
    ++count_;
    return *this;
  }
  __device__ float mean() const { return sum_ / count_; }

 private:
  float sum_;
  int count_ = 0;
};
struct Shape {
  __device__ virtual float area(float side) const = 0;
};
struct SquareShape : Shape {
  __device__ float area(float side) const override { return side * side; }
};
struct TriangleShape : Shape {
  __device__ float area(float side) const override { return side * side / 2; }
};
__global__ void class_kernel(const float* x, float* y, int n) {
  Accumulator accumulator(0.0f);
  for (int i = 0; i < n; ++i) accumulator += x[i];
  const auto scaled = [n](float v) { return v * n; };
  SquareShape square;
  TriangleShape triangle;
  const Shape* shape = threadIdx.x % 2 ? static_cast<Shape*>(&square) : &triangle;
  y[threadIdx.x] = scaled(accumulator.mean()) + shape->area(threadIdx.x);
}
torch::Tensor classes(torch::Tensor x) {
  auto y = float_tensor(8);
  class_kernel<<<1, 8>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursive_kernel(int* y) { y[threadIdx.x] = fibonacci(threadIdx.x); }
torch::Tensor recursive() {
  auto y = int_tensor(15);
  recursive_kernel<<<1, 15>>>(y.data_ptr<int>());
  return y;
}

// Device variables that keep their values between launches.
__device__ int launches_seen = 0;
__device__ float weights[4] = {0.5f, 1.5f, 2.5f, 3.5f};
__device__ const int primes[] = {2, 3, 5, 7, 11};
__constant__ int offsets[3] = {100, 200, 300};
static __device__ inline constexpr int kFactor = 10;
__global__ void count_kernel() {
  if (threadIdx.x == 0 && blockIdx.x == 0) ++launches_seen;
}
__global__ void state_kernel(float* y) {
  const int t = threadIdx.x;
  y[t] = launches_seen * 1000 + weights[t % 4] + primes[t % 5] * kFactor + offsets[t % 3];
}
torch::Tensor state(int64_t times) {
  int zero = 0;
  cudaMemcpyToSymbol(launches_seen, &zero, sizeof(int));
  for (int i = 0; i < times; ++i) count_kernel<<<2, 4>>>();
  auto y = float_tensor(20);
  state_kernel<<<1, 20>>>(y.data_ptr<float>());
  return y;
}

union Bits {
  float number;
  unsigned word;
};
struct Packed {
  unsigned sign : 1, rest : 31;
};
__global__ void union_kernel(const float* x, int* y) {
  Bits bits;
  bits.number = x[threadIdx.x];
  Packed packed{bits.word >> 31, bits.word & 0x7fffffff};
  int table[4] = {1, 2, 4, 8};
  int result = 0;
  switch (packed.rest >> 23) {
    case 127:
      result = 1;
      break;
    case 128:
      result = 2;
      [[fallthrough]];
    default:
      result += 4;
  }
  int i = 0;
  do {
    result += table[i];
  } while (++i < 3);
  while (true) {
    if (result > 0) goto done;
  }
done:
  y[threadIdx.x] = packed.sign ? -result : result;
}
torch::Tensor unions(torch::Tensor x) {
  auto y = int_tensor(x.numel());
  union_kernel<<<1, x.numel()>>>(x.data_ptr<float>(), y.data_ptr<int>());
  return y;
}

// Allocation in kernels, and printf.
__global__ void heap_kernel(int* y) {
  int* own = new int[4];
  for (int i = 0; i < 4; ++i) own[i] = i * threadIdx.x;
  int* copy = static_cast<int*>(malloc(4 * sizeof(int)));
  memcpy(copy, own, 4 * sizeof(int));
  y[threadIdx.x] = copy[0] + copy[1] + copy[2] + copy[3];
  free(copy);
  delete[] own;
  if (threadIdx.x == 0) printf("heap %d %s %.1f\n", y[0], "text", 1.5);
}
torch::Tensor heap() {
  auto y = int_tensor(32);
  heap_kernel<<<1, 32>>>(y.data_ptr<int>());
  cudaDeviceSynchronize();
  return y;
}

// Null pointers in every spelling, sizes of every type, a launch as an expression.
__global__ void optional_kernel(const float* a, const float* b, const float* c, float* y) {
  y[threadIdx.x] = (a ? 1 : 0) + (b ? 2 : 0) + (c ? 4 : 0);
}
torch::Tensor null_arguments(bool given) {
  auto y = float_tensor(4);
  const float* p = given ? y.data_ptr<float>() : nullptr;
  size_t blocks = 1;
  unsigned char threads = 4;
  (void)0, optional_kernel<<<blocks, threads, 0, 0>>>(p, NULL, nullptr, y.data_ptr<float>());
  return y;
}

__global__ void spin_kernel(long long* y) {
  const long long start = clock64();
  __nanosleep(10);
  const clock_t other = clock();
  y[threadIdx.x] = clock64() - start > 0 && other >= 0;
}
torch::Tensor clocks() {
  auto y = torch::zeros({32}, torch::device(torch::kCUDA).dtype(torch::kInt64));
  spin_kernel<<<1, 32>>>(reinterpret_cast<long long*>(y.data_ptr<int64_t>()));
  return y;
}

template <typename T, template <typename> class Operation>
__global__ void operation_kernel(const T* x, T* y) {
  y[threadIdx.x] = Operation<T>{}(x[threadIdx.x]);
}
template <typename T>
struct Negate {
  __host__ __device__ T operator()(T v) const { return -v; }
};
template <typename T>
struct Identity {
  __host__ __device__ constexpr T operator()(T v) const noexcept { return v; }
};
template <typename T, template <typename> class Operation>
void launch_operation(const torch::Tensor& x, torch::Tensor& y) {
  operation_kernel<T, Operation><<<1, x.numel()>>>(x.data_ptr<T>(), y.data_ptr<T>());
}
torch::Tensor operations(torch::Tensor x, bool negate) {
  auto y = torch::empty_like(x);
  if (x.scalar_type() == torch::kInt) {
    negate ? launch_operation<int, Negate>(x, y) : launch_operation<int, Identity>(x, y);
  } else {
    negate ? launch_operation<double, Negate>(x, y) : launch_operation<double, Identity>(x, y);
  }
  return y;
}

// Several streams with several launches each, in a loop.
__global__ void add_one_kernel(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += 1.0f;
}
torch::Tensor streams(int64_t count) {
  auto y = torch::zeros({count, 100}, torch::device(torch::kCUDA));
  cudaDeviceSynchronize();
  std::vector<cudaStream_t> all(count);
  for (auto& stream : all) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int round = 0; round < 3; ++round) {
    for (int64_t s = 0; s < count; ++s) {
      add_one_kernel<<<dim3(4), 32, 0, all[s]>>>(y.data_ptr<float>() + s * 100, 100);
    }
  }
  for (auto& stream : all) {
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
  }
  return y;
}

// Each axis of grid and block strides over its own dimension.
__global__ void volume_kernel(const float* x, float* y, int depth, int rows, int columns) {
  for (int z = blockIdx.z * blockDim.z + threadIdx.z; z < depth; z += gridDim.z * blockDim.z)
    for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += gridDim.y * blockDim.y)
      for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < columns; c += gridDim.x * blockDim.x)
        y[(c * rows + r) * depth + z] = x[(z * rows + r) * columns + c];
}
torch::Tensor volume(torch::Tensor x) {
  auto y = torch::empty({x.size(2), x.size(1), x.size(0)}, x.options());
  const dim3 grid(2, 2, 2), block{4, 2, 3};
  volume_kernel<<<grid, block>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(0), x.size(1),
                                 x.size(2));
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("nested", &outer::call);
  m.def("bounds", &bounds);
  m.def("cubed", &cubed);
  m.def("clipped", &clipped);
  m.def("folded", &folded);
  m.def("functor", &functor);
  m.def("classes", &classes);
  m.def("recursive", &recursive);
  m.def("state", &state);
  m.def("unions", &unions);
  m.def("heap", &heap);
  m.def("null_arguments", &null_arguments);
  m.def("clocks", &clocks);
  m.def("operations", &operations);
  m.def("streams", &streams);
  m.def("volume", &volume);
}
