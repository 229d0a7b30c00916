// Conversions between number types in every rounding mode that has a function.
#include <torch/extension.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define FOUR(to, prefix, argument)     \
  *to = prefix##_rn(argument), to += n; \
  *to = prefix##_rz(argument), to += n; \
  *to = prefix##_rd(argument), to += n; \
  *to = prefix##_ru(argument), to += n;

typedef long long wide;
typedef unsigned long long unsigned_wide;

__global__ void from_float_kernel(const float* x, wide* y, int n) {
  const int i = threadIdx.x;
  wide* to = y + i;
  FOUR(to, __float2int, x[i])
  FOUR(to, __float2uint, x[i])
  FOUR(to, __float2ll, x[i])
  FOUR(to, (wide)__float2ull, x[i])
}
__global__ void from_double_kernel(const double* x, wide* y, int n) {
  const int i = threadIdx.x;
  wide* to = y + i;
  FOUR(to, __double2int, x[i])
  FOUR(to, __double2uint, x[i])
  FOUR(to, __double2ll, x[i])
  FOUR(to, (wide)__double2ull, x[i])
}
__global__ void double_to_float_kernel(const double* x, float* y, int n) {
  const int i = threadIdx.x;
  float* to = y + i;
  FOUR(to, __double2float, x[i])
}
__global__ void from_integer_kernel(const wide* x, double* y, int n) {
  const int i = threadIdx.x;
  double* to = y + i;
  const wide v = x[i];
  const int narrow = (int)v;
  FOUR(to, __int2float, narrow)
  FOUR(to, __uint2float, (unsigned)narrow)
  FOUR(to, __ll2float, v)
  FOUR(to, __ull2float, (unsigned_wide)v)
  FOUR(to, __ll2double, v)
  FOUR(to, __ull2double, (unsigned_wide)v)
  *to = __int2double_rn(narrow), to += n;
  *to = __uint2double_rn(narrow);
}
std::vector<torch::Tensor> floats(torch::Tensor x, torch::Tensor d, torch::Tensor l) {
  const int n = x.numel(), k = l.numel();
  auto a = torch::zeros({16, n}, l.options()), b = torch::zeros({16, n}, l.options());
  auto c = torch::zeros({4, n}, x.options()), e = torch::zeros({26, k}, d.options());
  from_float_kernel<<<1, n>>>(x.data_ptr<float>(), (wide*)a.data_ptr<int64_t>(), n);
  from_double_kernel<<<1, n>>>(d.data_ptr<double>(), (wide*)b.data_ptr<int64_t>(), n);
  double_to_float_kernel<<<1, n>>>(d.data_ptr<double>(), c.data_ptr<float>(), n);
  from_integer_kernel<<<1, k>>>((const wide*)l.data_ptr<int64_t>(), e.data_ptr<double>(), k);
  return {a, b, c, e};
}

// The same names for both 16-bit formats.
#define HALF_FROM(format, float_of)                                               \
  template <int kUnused>                                                          \
  __global__ void to_##format##_kernel(const float* f, const double* d, const wide* l, float* y, \
                                       int n) {                                   \
    const int i = threadIdx.x;                                                    \
    float* to = y + i;                                                            \
    const wide v = l[i];                                                          \
    PUT(float_of(__float2##format(f[i])))                                         \
    PUT(float_of(__double2##format(d[i])))                                        \
    PUT_FOUR(float_of, __float2##format, f[i])                                    \
    PUT_FOUR(float_of, __int2##format, (int)v)                                    \
    PUT_FOUR(float_of, __uint2##format, (unsigned)v)                              \
    PUT_FOUR(float_of, __short2##format, (short)v)                                \
    PUT_FOUR(float_of, __ushort2##format, (unsigned short)v)                      \
    PUT_FOUR(float_of, __ll2##format, v)                                          \
    PUT_FOUR(float_of, __ull2##format, (unsigned_wide)v)                          \
  }                                                                               \
  __global__ void from_##format##_kernel(const float* f, wide* y, int n) {        \
    const int i = threadIdx.x;                                                    \
    wide* to = y + i;                                                             \
    const auto v = __float2##format(f[i]);                                        \
    FOUR(to, __##format##2int, v)                                                 \
    FOUR(to, __##format##2uint, v)                                                \
    FOUR(to, __##format##2short, v)                                               \
    FOUR(to, __##format##2ushort, v)                                              \
    FOUR(to, __##format##2ll, v)                                                  \
    FOUR(to, (wide)__##format##2ull, v)                                           \
    PUT(__##format##2char_rz(v))                                                  \
    PUT(__##format##2uchar_rz(v))                                                 \
    PUT(__##format##_as_ushort(v))                                                \
    PUT(__##format##_as_short(v))                                                 \
    PUT(__##format##_as_ushort(__ushort_as_##format(__##format##_as_ushort(v))))  \
  }
#define PUT(value) *to = (value), to += n;
#define PUT_FOUR(convert, prefix, argument) \
  PUT(convert(prefix##_rn(argument)))       \
  PUT(convert(prefix##_rz(argument)))       \
  PUT(convert(prefix##_rd(argument)))       \
  PUT(convert(prefix##_ru(argument)))
HALF_FROM(half, __half2float)
HALF_FROM(bfloat16, __bfloat162float)

std::vector<torch::Tensor> halves(torch::Tensor f, torch::Tensor d, torch::Tensor l, bool brain) {
  const int n = f.numel();
  auto to = torch::zeros({30, n}, f.options()), from = torch::zeros({29, n}, l.options());
  const wide* integers = (const wide*)l.data_ptr<int64_t>();
  if (brain) {
    to_bfloat16_kernel<0><<<1, n>>>(f.data_ptr<float>(), d.data_ptr<double>(), integers,
                                    to.data_ptr<float>(), n);
    from_bfloat16_kernel<<<1, n>>>(f.data_ptr<float>(), (wide*)from.data_ptr<int64_t>(), n);
  } else {
    to_half_kernel<0><<<1, n>>>(f.data_ptr<float>(), d.data_ptr<double>(), integers,
                                to.data_ptr<float>(), n);
    from_half_kernel<<<1, n>>>(f.data_ptr<float>(), (wide*)from.data_ptr<int64_t>(), n);
  }
  return {to, from};
}

__global__ void bits_kernel(const float* f, const double* d, wide* y, int n) {
  const int i = threadIdx.x;
  wide* to = y + i;
  PUT(__float_as_int(f[i]))
  PUT(__float_as_uint(f[i]))
  PUT(__float_as_int(__int_as_float(__float_as_int(f[i]))))
  PUT(__float_as_uint(__uint_as_float(__float_as_uint(f[i]))))
  PUT(__double_as_longlong(d[i]))
  PUT(__double_as_longlong(__longlong_as_double(__double_as_longlong(d[i]))))
  PUT(__double2hiint(d[i]))
  PUT((unsigned)__double2loint(d[i]))
  PUT(__double_as_longlong(__hiloint2double(__double2hiint(d[i]), __double2loint(d[i]))))
}
torch::Tensor bits(torch::Tensor f, torch::Tensor d) {
  auto y = torch::zeros({9, f.numel()}, f.options().dtype(torch::kInt64));
  bits_kernel<<<1, f.numel()>>>(f.data_ptr<float>(), d.data_ptr<double>(),
                                (wide*)y.data_ptr<int64_t>(), f.numel());
  return y;
}

// The language's own conversions, also out of range.
__global__ void cast_kernel(const float* f, const double* d, wide* y, int n) {
  const int i = threadIdx.x;
  wide* to = y + i;
  PUT((int)f[i]) PUT((unsigned)f[i]) PUT((wide)f[i]) PUT((wide)(unsigned_wide)f[i])
  PUT((int)d[i]) PUT((unsigned)d[i]) PUT((wide)d[i]) PUT((wide)(unsigned_wide)d[i])
  PUT((short)f[i]) PUT((unsigned short)f[i]) PUT((signed char)f[i]) PUT((unsigned char)f[i])
  PUT((bool)f[i])
}
torch::Tensor casts(torch::Tensor f, torch::Tensor d) {
  auto y = torch::zeros({13, f.numel()}, f.options().dtype(torch::kInt64));
  cast_kernel<<<1, f.numel()>>>(f.data_ptr<float>(), d.data_ptr<double>(),
                                (wide*)y.data_ptr<int64_t>(), f.numel());
  return y;
}

// Arithmetic in each rounding mode: sums, differences, products, quotients, roots, fused
// multiply-adds.
__global__ void float_arithmetic_kernel(const float* a, const float* b, float* y, int n) {
  const int i = threadIdx.x;
  float* to = y + i;
  const float v = a[i], w = b[i];
#define ALL(suffix)                   \
  PUT(__fadd_##suffix(v, w))          \
  PUT(__fsub_##suffix(v, w))          \
  PUT(__fmul_##suffix(v, w))          \
  PUT(__fdiv_##suffix(v, w))          \
  PUT(__fmaf_##suffix(v, w, 0.1f))    \
  PUT(__frcp_##suffix(w))             \
  PUT(__fsqrt_##suffix(fabsf(v)))
  ALL(rn) ALL(rz) ALL(rd) ALL(ru)
#undef ALL
}
__global__ void double_arithmetic_kernel(const double* a, const double* b, double* y, int n) {
  const int i = threadIdx.x;
  double* to = y + i;
  const double v = a[i], w = b[i];
#define ALL(suffix)                   \
  PUT(__dadd_##suffix(v, w))          \
  PUT(__dsub_##suffix(v, w))          \
  PUT(__dmul_##suffix(v, w))          \
  PUT(__ddiv_##suffix(v, w))          \
  PUT(__fma_##suffix(v, w, 0.1))      \
  PUT(__drcp_##suffix(w))             \
  PUT(__dsqrt_##suffix(fabs(v)))
  ALL(rn) ALL(rz) ALL(rd) ALL(ru)
#undef ALL
}
std::vector<torch::Tensor> arithmetic(torch::Tensor a, torch::Tensor b, torch::Tensor c,
                                      torch::Tensor d) {
  const int n = a.numel();
  auto y = torch::zeros({28, n}, a.options()), z = torch::zeros({28, n}, c.options());
  float_arithmetic_kernel<<<1, n>>>(a.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(),
                                    n);
  double_arithmetic_kernel<<<1, n>>>(c.data_ptr<double>(), d.data_ptr<double>(),
                                     z.data_ptr<double>(), n);
  return {y, z};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("floats", &floats);
  m.def("halves", &halves);
  m.def("bits", &bits);
  m.def("arithmetic", &arithmetic);
  m.def("casts", &casts);
}
