// Vector accesses at misaligned addresses, each beside a correct twin.
#include <torch/extension.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void four_kernel(const float* x, float* y, bool wrong) {
  const float4 v = reinterpret_cast<const float4*>(x + (wrong ? 1 : 0))[threadIdx.x];  // FOUR
  y[threadIdx.x] = v.x + v.y + v.z + v.w;
}
__global__ void two_kernel(const float* x, float* y, bool wrong) {
  const float2 v = *(const float2*)&x[threadIdx.x * 2 + (wrong ? 1 : 0)];  // TWO
  y[threadIdx.x] = v.x + v.y;
}
__global__ void store_kernel(double* y, bool wrong) {
  reinterpret_cast<double2*>(y + (wrong ? 1 : 0))[threadIdx.x] = make_double2(1.0, 2.0);  // STORE
}
__global__ void row_kernel(const float* x, float* y, int columns, bool wrong) {
  // The width of the matrix is not a multiple of four, so its rows are misaligned.
  const float* row = x + threadIdx.x * columns;
  const float4 v = wrong ? *reinterpret_cast<const float4*>(row)  // ROW
                         : make_float4(row[0], row[1], row[2], row[3]);
  y[threadIdx.x] = v.x + v.w;
}
__global__ void shared_kernel(float* y, bool wrong) {
  extern __shared__ float pool[];
  pool[threadIdx.x] = threadIdx.x;
  pool[threadIdx.x + 32] = 1.0f;
  __syncthreads();
  const int4* quads = reinterpret_cast<const int4*>(pool + (wrong ? 2 : 4));
  const int4 v = quads[threadIdx.x / 8];  // SHARED
  y[threadIdx.x] = __int_as_float(v.x) + __int_as_float(v.y);
}
__global__ void pair_kernel(const __half* x, float* y, bool wrong) {
  const __half2 v = reinterpret_cast<const __half2*>(x + (wrong ? 1 : 0))[threadIdx.x];  // PAIR
  y[threadIdx.x] = __low2float(v) + __high2float(v);
}
__global__ void wide_kernel(const int* x, float* y, bool wrong) {
  const long long v = *reinterpret_cast<const long long*>(x + (wrong ? 1 : 2));  // WIDE
  y[threadIdx.x] = static_cast<float>(v >> 32);
}
__global__ void cached_kernel(const float* x, float* y, bool wrong) {
  const float4 v = __ldg(reinterpret_cast<const float4*>(x + (wrong ? 2 : 0)) + threadIdx.x);  // CACHED
  y[threadIdx.x] = v.x + v.w;
}
__global__ void bytes_kernel(const unsigned char* x, float* y, bool wrong) {
  const uchar4 v = *reinterpret_cast<const uchar4*>(x + 4 * threadIdx.x + (wrong ? 2 : 0));  // BYTES
  y[threadIdx.x] = v.x + v.w;
}
// A structure of the candidate's own, by value into a function, and through a macro.
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
  T values[N];
};
using Pack4 = Pack<float, 4>;
__device__ __forceinline__ float sum_of(Pack4 pack) {
  return pack.values[0] + pack.values[1] + pack.values[2] + pack.values[3];
}
#define AS_PACK(place) (reinterpret_cast<Pack4*>(&(place))[0])
#define DEVICE_INLINE __device__ __forceinline__
__global__ void pack_kernel(const float* x, float* y, bool wrong) {
  const Pack4* packs = reinterpret_cast<const Pack4*>(x + (wrong ? 1 : 0));
  y[threadIdx.x] = sum_of(packs[threadIdx.x]);  // PACK
}
DEVICE_INLINE Pack4 loaded(const Pack4* packs) {
  return *packs;  // LOADED
}
__global__ void loaded_kernel(const float* x, float* y, bool wrong) {
  const Pack4 v = loaded(reinterpret_cast<const Pack4*>(x + (wrong ? 2 : 4)));
  y[threadIdx.x] = sum_of(v);
}
__global__ void macro_kernel(float* x, float* y, bool wrong) {
  const Pack4 v = AS_PACK(x[wrong ? 3 : 8]);  // MACRO
  y[threadIdx.x] = sum_of(v);
}
__global__ void place_kernel(float* y, bool wrong) {
  Pack4 v = {{1.0f, 2.0f, 3.0f, 4.0f}};
  reinterpret_cast<Pack4&>(y[wrong ? 1 : 0]) = v;  // PLACE
}
__global__ void choice_kernel(const float* x, float* y, int n, bool wrong) {
  const float4* fours = reinterpret_cast<const float4*>(x + (wrong ? 1 : 0));
  const float4 v = threadIdx.x < n ? fours[threadIdx.x] : make_float4(0, 0, 0, 0);  // CHOICE
  y[threadIdx.x] = v.x + v.w;
}
// The compiler's own check leaves out what is volatile.
__global__ void volatile_kernel(const float* x, float* y, bool wrong) {
  const volatile float* row = x + (wrong ? 1 : 2);
  const unsigned long long pair = ((const volatile unsigned long long*)row)[threadIdx.x];  // VOLATILE
  y[threadIdx.x] = __uint_as_float((unsigned)pair) + row[threadIdx.x];
}
__global__ void flag_kernel(float* y, bool wrong) {
  *reinterpret_cast<volatile double*>(y + (wrong ? 3 : 4)) = 1.0;  // FLAG
}
__global__ void add_kernel(float* y, bool wrong) {
  atomicAdd(reinterpret_cast<double*>(y + (wrong ? 1 : 2)), 1.0);  // ADD
}
// What a device's compiler keeps in registers, and code that asks for the alignment first.
__global__ void local_kernel(const float* x, float* y, bool wrong) {
  float pair[3] = {x[0], x[1], x[2]};
  *reinterpret_cast<float2*>(pair + 1) = make_float2(1.0f, 2.0f);
  __half halves[4];
  *reinterpret_cast<float2*>(halves) = make_float2(pair[1], pair[2]);
  const float4* fours = reinterpret_cast<const float4*>(x + (wrong ? 1 : 3));
  float4 v = make_float4(0, 0, 0, 0);
  if (wrong || reinterpret_cast<std::uintptr_t>(fours) % sizeof(float4) == 0) {
    v = *fours;  // LOCAL
  }
  const int columns = 2, scale = 3;
  y[threadIdx.x] = (columns) * pair[1] + (scale) * *(y + 1) + v.x;
}

torch::Tensor run(const std::string& what, bool wrong) {
  const auto options = torch::device(torch::kCUDA).dtype(torch::kFloat);
  auto x = torch::ones({256}, options), y = torch::empty({64}, options);
  auto d = torch::empty({64}, options.dtype(torch::kDouble));
  auto h = torch::ones({256}, options.dtype(torch::kHalf)), i = torch::ones({64}, options.dtype(torch::kInt));
  const float* px = x.data_ptr<float>();
  float* py = y.data_ptr<float>();
  if (what == "four") four_kernel<<<1, 8>>>(px, py, wrong);
  if (what == "two") two_kernel<<<1, 8>>>(px, py, wrong);
  if (what == "store") store_kernel<<<1, 8>>>(d.data_ptr<double>(), wrong);
  if (what == "row") row_kernel<<<1, 8>>>(px, py, 7, wrong);
  if (what == "shared") shared_kernel<<<1, 32, 64 * sizeof(float)>>>(py, wrong);
  if (what == "pair") {
    pair_kernel<<<1, 8>>>(reinterpret_cast<const __half*>(h.data_ptr<at::Half>()), py, wrong);
  }
  if (what == "wide") wide_kernel<<<1, 1>>>(i.data_ptr<int>(), py, wrong);
  if (what == "cached") cached_kernel<<<1, 8>>>(px, py, wrong);
  if (what == "bytes") bytes_kernel<<<1, 8>>>(reinterpret_cast<const unsigned char*>(px), py, wrong);
  if (what == "pack") pack_kernel<<<1, 8>>>(px, py, wrong);
  if (what == "loaded") loaded_kernel<<<1, 1>>>(px, py, wrong);
  if (what == "macro") macro_kernel<<<1, 1>>>(x.data_ptr<float>(), py, wrong);
  if (what == "place") place_kernel<<<1, 1>>>(py, wrong);
  if (what == "choice") choice_kernel<<<1, 8>>>(px, py, 8, wrong);
  if (what == "volatile") volatile_kernel<<<1, 8>>>(px, py, wrong);
  if (what == "flag") flag_kernel<<<1, 1>>>(py, wrong);
  if (what == "add") add_kernel<<<1, 1>>>(py, wrong);
  if (what == "local") local_kernel<<<1, 1>>>(px, py, wrong);
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
