// The vector types: construction, memory layout, loads and stores of whole vectors, and loads with
// cache hints.
#include <torch/extension.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>

#define SIZES(name)                                                                     \
  *to++ = sizeof(name##1), *to++ = alignof(name##1), *to++ = sizeof(name##2),           \
  *to++ = alignof(name##2), *to++ = sizeof(name##3), *to++ = alignof(name##3),          \
  *to++ = sizeof(name##4), *to++ = alignof(name##4);
__global__ void size_kernel(int* to) {
  SIZES(char) SIZES(uchar) SIZES(short) SIZES(ushort) SIZES(int) SIZES(uint)
  SIZES(long) SIZES(ulong) SIZES(longlong) SIZES(ulonglong) SIZES(float) SIZES(double)
}
torch::Tensor sizes(torch::Tensor like) {
  auto y = torch::zeros({12, 8}, like.options().dtype(torch::kInt));
  size_kernel<<<1, 1>>>(y.data_ptr<int>());
  return y;
}

#define SUMS(name, type)                                                          \
  {                                                                               \
    const type##1 a = make_##type##1(v);                                          \
    const type##2 b = make_##type##2(v, v + 1);                                   \
    const type##3 c = make_##type##3(v, v + 1, v + 2);                            \
    type##4 d = make_##type##4(v, v + 1, v + 2, v + 3);                           \
    d.w += a.x;                                                                   \
    const type##4 e = d;                                                          \
    y[row++ * blockDim.x + threadIdx.x] =                                         \
        double(b.y) * 3 + double(c.z) * 5 + double(e.w) * 7 + double(e.x) * 11;   \
  }
__global__ void make_kernel(double* y) {
  const int v = threadIdx.x;
  int row = 0;
  SUMS(char, char) SUMS(uchar, uchar) SUMS(short, short) SUMS(ushort, ushort) SUMS(int, int)
  SUMS(uint, uint) SUMS(long, long) SUMS(ulong, ulong) SUMS(longlong, longlong)
  SUMS(ulonglong, ulonglong) SUMS(float, float) SUMS(double, double)
}
torch::Tensor made(torch::Tensor like) {
  auto y = torch::zeros({12, 20}, like.options().dtype(torch::kDouble));
  make_kernel<<<1, 20>>>(y.data_ptr<double>());
  return y;
}

// Copies bytes sixteen at a time, through vectors.
template <typename Vector>
__global__ void copy_kernel(const unsigned char* x, unsigned char* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) reinterpret_cast<Vector*>(y)[i] = reinterpret_cast<const Vector*>(x)[i];
}
torch::Tensor copied(torch::Tensor x, int how) {
  auto y = torch::zeros_like(x);
  const unsigned char* in = x.data_ptr<unsigned char>();
  unsigned char* out = y.data_ptr<unsigned char>();
  const int n = x.numel();
  const auto blocks = [&](int bytes) { return (n / bytes + 31) / 32; };
  switch (how) {
    case 0: copy_kernel<uchar2><<<blocks(2), 32>>>(in, out, n / 2); break;
    case 1: copy_kernel<uchar4><<<blocks(4), 32>>>(in, out, n / 4); break;
    case 2: copy_kernel<short4><<<blocks(8), 32>>>(in, out, n / 8); break;
    case 3: copy_kernel<float2><<<blocks(8), 32>>>(in, out, n / 8); break;
    case 4: copy_kernel<float4><<<blocks(16), 32>>>(in, out, n / 16); break;
    case 5: copy_kernel<int4><<<blocks(16), 32>>>(in, out, n / 16); break;
    case 6: copy_kernel<double2><<<blocks(16), 32>>>(in, out, n / 16); break;
    case 7: copy_kernel<longlong2><<<blocks(16), 32>>>(in, out, n / 16); break;
    case 8: copy_kernel<float3><<<blocks(12), 32>>>(in, out, n / 12); break;
    case 9: copy_kernel<ulonglong2><<<blocks(16), 32>>>(in, out, n / 16); break;
  }
  return y;
}

template <typename T>
__device__ T round_trip(const T* x, T* y, int i) {
  __stwb(&y[i], __ldg(&x[i]));
  __stcg(&y[i], __ldca(&y[i]));
  __stcs(&y[i], __ldcg(&y[i]));
  __stwt(&y[i], __ldcs(&y[i]));
  return __ldcv(&y[i]);
}
template <typename T>
__global__ void cached_kernel(const T* x, T* y, T* z) {
  z[threadIdx.x] = round_trip(x, y, threadIdx.x);
}
torch::Tensor cached(torch::Tensor x, int how) {
  auto y = torch::zeros_like(x), z = torch::zeros_like(x);
  unsigned char *a = x.data_ptr<unsigned char>(), *b = y.data_ptr<unsigned char>(),
                *c = z.data_ptr<unsigned char>();
  const int n = x.numel();
#define CASE(number, type)                                                                  \
  if (how == number)                                                                        \
    cached_kernel<type><<<1, n / sizeof(type)>>>((const type*)a, (type*)b, (type*)c);
  CASE(0, float) CASE(1, int) CASE(2, double) CASE(3, float4) CASE(4, int2) CASE(5, uchar4)
  CASE(6, unsigned long long) CASE(7, short) CASE(8, __half2) CASE(9, __half)
  return z;
}

// Structures with their own alignment, with arrays of them.
struct __align__(16) Particle {
  float position[3];
  int kind;
  float speed;
};
struct alignas(8) Edge {
  short from, to;
  float weight;
};
__global__ void structure_kernel(const Edge* edges, Particle* particles, int* layout, int n) {
  const int i = threadIdx.x;
  if (i < n) {
    Particle p{};
    p.position[0] = edges[i].from;
    p.position[2] = edges[i].weight;
    p.kind = edges[i].to;
    p.speed = 0.5f;
    particles[i] = p;
  }
  if (i == 0) {
    layout[0] = sizeof(Particle), layout[1] = alignof(Particle), layout[2] = sizeof(Edge);
    layout[3] = alignof(Edge), layout[4] = offsetof(Particle, speed), layout[5] = sizeof(dim3);
    layout[6] = sizeof(long), layout[7] = sizeof(wchar_t), layout[8] = sizeof(bool);
  }
}
std::vector<torch::Tensor> structures(torch::Tensor edges) {
  const int n = edges.numel() / 8;
  auto particles = torch::zeros({n, 8}, edges.options().dtype(torch::kFloat));
  auto layout = torch::zeros({9}, edges.options().dtype(torch::kInt));
  structure_kernel<<<1, 32>>>(reinterpret_cast<const Edge*>(edges.data_ptr<unsigned char>()),
                              reinterpret_cast<Particle*>(particles.data_ptr<float>()),
                              layout.data_ptr<int>(), n);
  return {particles, layout};
}

// Operators that a candidate defines for the built-in types.
__device__ __forceinline__ float4 operator+(const float4& a, const float4& b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__device__ __forceinline__ float4 operator*(float4 a, float s) {
  return {a.x * s, a.y * s, a.z * s, a.w * s};
}
__device__ __forceinline__ float& part(float4& v, int i) { return (&v.x)[i]; }
__global__ void operator_kernel(const float4* x, const float4* z, float4* y, int n4) {
  for (int i = threadIdx.x; i < n4; i += blockDim.x) {
    float4 v = x[i] + z[i] * 2.0f;
    part(v, i % 4) = -1.0f;
    y[i] = v;
  }
}
torch::Tensor operators(torch::Tensor x, torch::Tensor z) {
  auto y = torch::empty_like(x);
  operator_kernel<<<1, 16>>>((float4*)x.data_ptr<float>(), (float4*)z.data_ptr<float>(),
                             (float4*)y.data_ptr<float>(), x.numel() / 4);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("sizes", &sizes);
  m.def("made", &made);
  m.def("copied", &copied);
  m.def("cached", &cached);
  m.def("structures", &structures);
  m.def("operators", &operators);
}
