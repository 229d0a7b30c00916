// Mathematical functions in both precisions, including NaN, infinities and other special values.
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <math_constants.h>

#define PUT(value) *to = (value), to += n;

template <typename T>
__global__ void common_kernel(const T* x, T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const T v = x[i], a = abs(v) + T(0.25), u = v / (abs(v) + T(1));
  T* to = y + i;
  PUT(exp(v)) PUT(exp2(v)) PUT(expm1(v)) PUT(log(a)) PUT(log2(a)) PUT(log10(a)) PUT(log1p(a))
  PUT(sqrt(a)) PUT(rsqrt(a)) PUT(cbrt(v)) PUT(rcbrt(a)) PUT(sin(v)) PUT(cos(v)) PUT(tan(v))
  PUT(asin(u)) PUT(acos(u)) PUT(atan(v)) PUT(sinh(v)) PUT(cosh(v)) PUT(tanh(v))
  PUT(asinh(v)) PUT(acosh(a + T(1))) PUT(atanh(u)) PUT(erf(v)) PUT(erfc(v))
  PUT(tgamma(a)) PUT(lgamma(a)) PUT(pow(a, v))
  PUT(atan2(v, a)) PUT(hypot(v, a)) PUT(fmod(v, T(0.7)))
  PUT(floor(v)) PUT(ceil(v)) PUT(trunc(v)) PUT(round(v)) PUT(rint(v)) PUT(fabs(v))
  PUT(copysign(a, v)) PUT(fdim(v, T(0.5))) PUT(fma(v, a, u)) PUT(fmax(v, u)) PUT(fmin(v, u))
  PUT(remainder(v, T(0.7))) PUT(ldexp(v, 3)) PUT(exp10(u)) PUT(sinpi(v)) PUT(cospi(v))
}
__global__ void special_kernel(const float* x, float* y, int n) {
  const int i = threadIdx.x;
  const float v = x[i], u = v / (fabsf(v) + 1.0f), p = 0.5f * (u + 1.0f);
  float* to = y + i;
  PUT(erfinvf(u)) PUT(erfcinvf(2.0f * p)) PUT(normcdff(v)) PUT(normcdfinvf(p)) PUT(erfcxf(fabsf(v)))
  PUT(cyl_bessel_i0f(v)) PUT(cyl_bessel_i1f(v)) PUT(j0f(v)) PUT(j1f(v)) PUT(y0f(fabsf(v) + 0.5f))
  PUT(norm3df(v, u, 1.0f)) PUT(norm4df(v, u, 1.0f, 2.0f)) PUT(rnorm3df(v, u, 1.0f))
  PUT(rhypotf(v, 2.0f)) PUT(sinpif(v)) PUT(cospif(v))
  const float three[] = {v, u, p};
  PUT(normf(3, three)) PUT(rnormf(3, three))
  float s, c;
  sincospif(v, &s, &c);
  PUT(s * s + c * c)
  PUT((float)erfinv((double)u)) PUT((float)normcdfinv((double)p))
}
__global__ void fast_kernel(const float* x, float* y, int n) {
  const int i = threadIdx.x;
  const float v = x[i], a = fabsf(v) + 0.25f;
  float* to = y + i;
  PUT(__expf(v)) PUT(__exp10f(v * 0.3f)) PUT(__logf(a)) PUT(__log2f(a)) PUT(__log10f(a))
  PUT(__sinf(v)) PUT(__cosf(v)) PUT(__tanf(v * 0.3f)) PUT(__powf(a, 0.7f)) PUT(__fdividef(v, a))
  PUT(__saturatef(v)) PUT(__frsqrt_rn(a)) PUT(__fmul_rn(v, a)) PUT(rsqrtf(a)) PUT(fdividef(v, a))
  float s, c;
  __sincosf(v, &s, &c);
  PUT(s) PUT(c)
  sincosf(v, &s, &c);
  PUT(s) PUT(c)
}
__global__ void fast_limits_kernel(const float* x, float* y, int n) {
  const int i = threadIdx.x;
  const float v = x[i];
  float* to = y + i;
  PUT(__expf(v)) PUT(__logf(fabsf(v))) PUT(__sinf(v)) PUT(__cosf(v)) PUT(__powf(v, 3.0f))
  PUT(__powf(v, 0.0f)) PUT(__fdividef(1.0f, v)) PUT(__fdividef(INFINITY, v))
}
torch::Tensor common(torch::Tensor x) {
  auto y = torch::zeros({47, x.numel()}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "common", [&] {
    common_kernel<scalar_t><<<(x.numel() + 31) / 32, 32>>>(x.data_ptr<scalar_t>(),
                                                           y.data_ptr<scalar_t>(), x.numel());
  });
  return y;
}
torch::Tensor special(torch::Tensor x) {
  auto y = torch::zeros({21, x.numel()}, x.options());
  special_kernel<<<1, x.numel()>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
torch::Tensor fast_limits(torch::Tensor x) {
  auto y = torch::zeros({8, x.numel()}, x.options());
  fast_limits_kernel<<<1, x.numel()>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
torch::Tensor fast(torch::Tensor x) {
  auto y = torch::zeros({19, x.numel()}, x.options());
  fast_kernel<<<1, x.numel()>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}

// NaN, infinities, zeros of both signs.
__global__ void unusual_kernel(const float* x, const float* z, float* y, int n) {
  const int i = threadIdx.x;
  const float a = x[i], b = z[i];
  float* to = y + i;
  PUT(fmaxf(a, b)) PUT(fminf(a, b)) PUT(max(a, b)) PUT(min(a, b)) PUT(__saturatef(a))
  PUT(isnan(a)) PUT(isinf(a)) PUT(isfinite(a)) PUT(signbit(a)) PUT(a == b) PUT(a < b) PUT(!(a >= b))
  PUT(a > b ? a : b) PUT(fabsf(a)) PUT(sqrtf(a)) PUT(fmodf(a, b)) PUT(copysignf(1.0f, a))
  PUT(a == CUDART_INF_F) PUT(isnan(CUDART_NAN_F)) PUT(a + CUDART_NAN_F) PUT(1.0f / a)
  PUT((float)(int)fminf(fmaxf(a, -100.0f), 100.0f))
}
torch::Tensor unusual(torch::Tensor x, torch::Tensor z) {
  auto y = torch::zeros({22, x.numel()}, x.options());
  unusual_kernel<<<1, x.numel()>>>(x.data_ptr<float>(), z.data_ptr<float>(), y.data_ptr<float>(),
                                   x.numel());
  return y;
}

// Decomposition of numbers, and adjacent numbers.
__global__ void part_kernel(const float* x, float* y, int n) {
  const int i = threadIdx.x;
  const float v = x[i];
  float* to = y + i;
  int exponent, quotient;
  float whole;
  const float mantissa = frexpf(v, &exponent), fraction = modff(v, &whole);
  PUT(mantissa) PUT(exponent) PUT(fraction) PUT(whole)
  PUT(remquof(v, 3.0f, &quotient))
  PUT((float)(quotient & 7))
  PUT(ilogbf(v)) PUT(logbf(v)) PUT(nextafterf(v, 10.0f)) PUT(scalbnf(v, 4)) PUT(lrintf(v))
  PUT(llroundf(v)) PUT(truncf(v)) PUT(nearbyintf(v)) PUT(ldexpf(v, -2))
  PUT(__int2float_rn(abs((int)v)))
}
torch::Tensor parts(torch::Tensor x) {
  auto y = torch::zeros({16, x.numel()}, x.options());
  part_kernel<<<1, x.numel()>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}

// Mixed types: integers of every width with min, max and abs.
__global__ void mixed_kernel(const int* x, double* y, int n) {
  const int i = threadIdx.x;
  const int v = x[i];
  double* to = y + i;
  PUT(max(v, 3)) PUT(min((long long)v, 7ll)) PUT(max((unsigned)v, 5u)) PUT(min((float)v, 2.5f))
  PUT(max((double)v, 1.5f)) PUT(max((int64_t)v, (int64_t)4)) PUT(min((size_t)abs(v), (size_t)9))
  PUT(abs(v)) PUT(labs((long)v)) PUT(abs((float)v)) PUT(fabs((double)v)) PUT(pow(2.0f, 3))
  PUT(powf((float)v, 2.0f)) PUT(v / 3) PUT(v % 3) PUT(v >> 1) PUT((unsigned)v >> 28)
  PUT(static_cast<unsigned char>(v)) PUT(static_cast<short>(v * 70000)) PUT(sqrtf(16))
  PUT(max((float)v, 2.5f))
}
torch::Tensor mixed(torch::Tensor x) {
  auto y = torch::zeros({21, x.numel()}, x.options().dtype(torch::kDouble));
  mixed_kernel<<<1, x.numel()>>>(x.data_ptr<int>(), y.data_ptr<double>(), x.numel());
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("common", &common);
  m.def("special", &special);
  m.def("fast", &fast);
  m.def("fast_limits", &fast_limits);
  m.def("unusual", &unusual);
  m.def("parts", &parts);
  m.def("mixed", &mixed);
}
