// Kernels whose memory requests can be counted by hand; counting.py has the expected counts.
#include <torch/extension.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void copy(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
}
__global__ void strided(const float* x, float* y, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i * stride];
}
__global__ void strided_store(const float* x, float* y, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i * stride] = x[i];
}
__global__ void reversed(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[n - 1 - i];
}
__global__ void broadcast(const float* x, float* y) {
  y[blockIdx.x * blockDim.x + threadIdx.x] = x[0];
}
__global__ void pairs(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i / 2];
}
__global__ void offset(const float* x, float* y, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i + by];
}
__global__ void tail(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
__global__ void grid_stride(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    y[i] = x[i];
  }
}
__global__ void squared(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] * x[i];
}
__global__ void saxpy(const float* x, float* y, float a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = a * x[i] + y[i];
}
__global__ void cached(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = __ldg(x + i);
}
template <typename T>
__global__ void copy_of(const T* x, T* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
}
template <typename T>
__global__ void sum_of_parts(const T* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const T four = x[i];
  y[i] = four.x + four.y + four.z + four.w;
}
__global__ void halves(const float* x, float* y, float* z) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 32 < 16) {
    y[i] = x[i];
  } else {
    z[i] = x[i] + 1.0f;
  }
}
__global__ void even_lanes(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2 == 0) y[i] = x[i];
}
__global__ void triangle(const float* x, float* y) {
  float sum = 0.0f;
  for (int k = 0; k <= static_cast<int>(threadIdx.x); ++k) sum += x[k];
  y[threadIdx.x] = sum;
}
__global__ void transposed(const float* x, float* y) {
  y[threadIdx.x * 32 + threadIdx.y] = x[threadIdx.y * 32 + threadIdx.x];
}
template <int kWidth>
__global__ void transposed_in_tile(const float* x, float* y) {
  __shared__ float tile[32][kWidth];
  tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  y[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void rows_of_16(const float* x, float* y) {
  const int i = threadIdx.y * 16 + threadIdx.x;
  y[i] = x[i];
}
__global__ void matmul(const float* a, const float* b, float* c) {
  constexpr int kTile = 16, kSize = 32;
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0.0f;
  for (int tile = 0; tile < kSize / kTile; ++tile) {
    as[threadIdx.y][threadIdx.x] = a[row * kSize + tile * kTile + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(tile * kTile + threadIdx.y) * kSize + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * kSize + column] = sum;
}
// Writes shared memory contiguously and reads it with a stride, given in elements.
template <typename T, int kStride>
__global__ void shared_strided(float* y) {
  __shared__ T values[32 * (kStride > 0 ? kStride : 1)];
  for (int i = threadIdx.x; i < 32 * (kStride > 0 ? kStride : 1); i += 32) {
    values[i] = static_cast<T>(i);
  }
  __syncthreads();
  y[threadIdx.x] = static_cast<float>(values[threadIdx.x * kStride]);
}
// 16 bytes of any type, as kernels declare such types themselves.
template <typename T>
struct alignas(16) Pack {
  T lane[16 / sizeof(T)];
};
__global__ void doubled_packs(const float* x, float* y) {
  const int first = threadIdx.x * 4;
  const Pack<float> pack = *reinterpret_cast<const Pack<float>*>(x + first);
  Pack<float> twice;
#pragma unroll
  for (int k = 0; k < 4; ++k) twice.lane[k] = 2.0f * pack.lane[k];
  *reinterpret_cast<Pack<float>*>(y + first) = twice;
}
__global__ void packs_by_index(const Pack<float>* x, float* y) {
  __shared__ Pack<float> packs[32];
  packs[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  const Pack<float> other = packs[31 - threadIdx.x];
  y[threadIdx.x] = other.lane[0] + other.lane[3];
}
// Member functions that return references to memory and to their objects.
struct alignas(16) Quad {
  float lane[4];
  __device__ Quad& operator+=(const Quad& other) {
    for (int k = 0; k < 4; ++k) lane[k] += other.lane[k];
    return *this;
  }
};
template <typename T>
struct Span {
  T* values;
  __device__ T& operator[](int i) const { return values[i]; }
  __device__ auto at(int i) const -> T& { return values[i]; }
  __device__ decltype(auto) first() const { return *values; }
};
__global__ void quads_by_reference(const Quad* x, Quad* y) {
  const Span<const Quad> from{x + threadIdx.x};
  const Span<Quad> to{y};
  const auto place = [&](int i) -> Quad& { return to[i]; };
  Quad sum = *&from.first();
  sum += sum;
  Quad* const found = &to.at(threadIdx.x);
  if (found == &place(threadIdx.x)) *found = sum;
}
__global__ void cleared_packs(const float* x, Pack<float>* y) {
  y[threadIdx.x] = {};
  y[threadIdx.x + 32] = {x[0], x[1]};
}
// Expressions that the compiler evaluates are no accesses.
constexpr int kSizes[2] = {8, 32};
constexpr Pack<int> kPacks[1] = {{{1, 2, 3, 4}}};
constexpr int size_at(int i) { return kSizes[i]; }
constexpr Pack<int> pack_with(int lane) {
  Pack<int> packs[1] = {};
  const Pack<int> first = kPacks[0];
  packs[0] = first;
  packs[0].lane[0] = lane;
  return packs[0];
}
__global__ void sized_by_constants(const float* x, float* y) {
  constexpr int kRows = kSizes[0];
  const int kColumns = kSizes[1];
  constexpr Pack<int> kPack = kPacks[0];
  static_assert(kRows == 8 && kPack.lane[3] == 4 && pack_with(7).lane[0] == 7);
  __shared__ float row[kColumns], unused[size_at(0)];
  row[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = row[kColumns - 1 - threadIdx.x];
}
// Aligned only like its members, so each member is one access.
struct Pair {
  float first, second;
};
__global__ void pairs_of_floats(const Pair* x, float* y) {
  const Pair pair = x[threadIdx.x];
  y[threadIdx.x] = pair.first + pair.second;
}
__global__ void shared_whole(const float4* x, float4* y) {
  __shared__ float4 values[32];
  values[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = values[31 - threadIdx.x];
}
__global__ void dynamic_rows(const float* x, float* y) {
  extern __shared__ float rows[];
  rows[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = rows[threadIdx.x ^ 1];
}
__global__ void contended(int* counter) { atomicAdd(counter, 1); }
__global__ void histogram(const int* x, int* bins) {
  __shared__ int counts[8];
  if (threadIdx.x < 8) counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[x[blockIdx.x * blockDim.x + threadIdx.x] % 8], 1);
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}
__global__ void warp_sums(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = x[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0) y[i / 32] = sum;
}
__constant__ float weights[8];
__device__ __align__(128) float table[64];
__global__ void weighted(float* y) {
  y[threadIdx.x] = weights[threadIdx.x % 8];
}
__global__ void tabled(float* y) { y[threadIdx.x] = table[threadIdx.x]; }
__global__ void local_array(const float* x, float* y, int n) {
  float last[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int i = 0; i < n; ++i) last[i % 4] += x[threadIdx.x];
  y[threadIdx.x] = last[n % 4];
}

void run(const std::string& what, torch::Tensor x, torch::Tensor y) {
  const float* p = x.data_ptr<float>();
  float* q = y.data_ptr<float>();
  const auto is = [&](const char* name) { return what == name; };
  if (is("coalesced")) copy<<<2, 128>>>(p, q);
  if (is("stride 2")) strided<<<2, 128>>>(p, q, 2);
  if (is("stride 4")) strided<<<2, 128>>>(p, q, 4);
  if (is("stride 8")) strided<<<2, 128>>>(p, q, 8);
  if (is("stride 32")) strided<<<2, 128>>>(p, q, 32);
  if (is("stride 2 stored")) strided_store<<<2, 128>>>(p, q, 2);
  if (is("stride 32 stored")) strided_store<<<2, 128>>>(p, q, 32);
  if (is("reversed")) reversed<<<2, 128>>>(p, q, 256);
  if (is("broadcast")) broadcast<<<2, 128>>>(p, q);
  if (is("pairs")) pairs<<<2, 128>>>(p, q);
  if (is("offset 1")) offset<<<1, 64>>>(p, q, 1);
  if (is("offset 8")) offset<<<1, 64>>>(p, q, 8);
  if (is("misaligned base")) copy<<<1, 64>>>(p + 3, q);
  if (is("tail")) tail<<<1, 128>>>(p, q, 100);
  if (is("empty warps")) tail<<<1, 128>>>(p, q, 40);
  if (is("grid stride")) grid_stride<<<2, 64>>>(p, q, 1000);
  if (is("half a warp more")) copy<<<1, 48>>>(p, q);
  if (is("squared")) squared<<<2, 128>>>(p, q);
  if (is("saxpy")) saxpy<<<2, 128>>>(p, q, 2.0f);
  if (is("ldg")) cached<<<2, 128>>>(p, q);
  if (is("float4")) copy_of<<<1, 64>>>((const float4*)p, (float4*)q);
  if (is("float4 in parts")) sum_of_parts<<<1, 64>>>((const float4*)p, q);
  if (is("float2")) copy_of<<<1, 64>>>((const float2*)p, (float2*)q);
  if (is("half")) copy_of<<<1, 64>>>((const __half*)p, (__half*)q);
  if (is("half2")) copy_of<<<1, 64>>>((const __half2*)p, (__half2*)q);
  if (is("double")) copy_of<<<1, 64>>>((const double*)p, (double*)q);
  if (is("char")) copy_of<<<1, 64>>>((const char*)p, (char*)q);
  if (is("int4")) copy_of<<<1, 64>>>((const int4*)p, (int4*)q);
  if (is("double4")) copy_of<<<1, 32>>>((const double4*)p, (double4*)q);
  if (is("halves")) halves<<<2, 128>>>(p, q, q + 512);
  if (is("even lanes")) even_lanes<<<1, 64>>>(p, q);
  if (is("triangle")) triangle<<<1, 32>>>(p, q);
  if (is("transposed")) transposed<<<1, dim3(32, 32)>>>(p, q);
  if (is("transposed in a tile")) transposed_in_tile<32><<<1, dim3(32, 32)>>>(p, q);
  if (is("transposed in a padded tile")) transposed_in_tile<33><<<1, dim3(32, 32)>>>(p, q);
  if (is("rows of 16")) rows_of_16<<<1, dim3(16, 16)>>>(p, q);
  if (is("matmul")) matmul<<<dim3(2, 2), dim3(16, 16)>>>(p, p + 1024, q);
  if (is("shared in order")) shared_strided<float, 1><<<1, 32>>>(q);
  if (is("shared broadcast")) shared_strided<float, 0><<<1, 32>>>(q);
  if (is("shared 2 ways")) shared_strided<float, 2><<<1, 32>>>(q);
  if (is("shared 4 ways")) shared_strided<float, 4><<<1, 32>>>(q);
  if (is("shared 32 ways")) shared_strided<float, 32><<<1, 32>>>(q);
  if (is("shared odd stride")) shared_strided<float, 5><<<1, 32>>>(q);
  if (is("shared doubles")) shared_strided<double, 1><<<1, 32>>>(q);
  if (is("shared doubles 2 ways")) shared_strided<double, 2><<<1, 32>>>(q);
  if (is("shared bytes")) shared_strided<char, 1><<<1, 32>>>(q);
  if (is("shared float4")) shared_whole<<<1, 32>>>((const float4*)p, (float4*)q);
  if (is("packs")) doubled_packs<<<1, 64>>>(p, q);
  if (is("packs by index")) packs_by_index<<<1, 32>>>((const Pack<float>*)p, q);
  if (is("quads by reference")) quads_by_reference<<<1, 64>>>((const Quad*)p, (Quad*)q);
  if (is("cleared packs")) cleared_packs<<<1, 32>>>(p, (Pack<float>*)q);
  if (is("sized by constants")) sized_by_constants<<<1, 32>>>(p, q);
  if (is("pairs of floats")) pairs_of_floats<<<1, 64>>>((const Pair*)p, q);
  if (is("dynamic shared")) dynamic_rows<<<1, 64, 64 * sizeof(float)>>>(p, q);
  if (is("contended")) contended<<<2, 128>>>((int*)q);
  if (is("histogram")) histogram<<<2, 128>>>((const int*)p, (int*)q);
  if (is("shuffles")) warp_sums<<<2, 128>>>(p, q);
  if (is("constant")) weighted<<<1, 64>>>(q);
  if (is("device variable")) tabled<<<1, 64>>>(q);
  if (is("local array")) local_array<<<1, 64>>>(p, q, x.numel() > 0 ? 6 : 0);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
