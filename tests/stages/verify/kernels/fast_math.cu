// Built with -use_fast_math: functions of single precision are the device's approximations, and
// numbers that are not normal count as zero.
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cmath>

#define PUT(value) *to = (value), to += n;

__global__ void same_kernel(const float* x, float* y, int n) {
  const int i = threadIdx.x;
  const float v = x[i];
  float* to = y + i;
  float s, c;
  sincosf(v, &s, &c);
  PUT(expf(v)) PUT(__expf(v)) PUT(std::exp(v)) PUT(__expf(v)) PUT(exp(v)) PUT(__expf(v))
  PUT(logf(v)) PUT(__logf(v)) PUT(log2f(v)) PUT(__log2f(v)) PUT(log10f(v)) PUT(__log10f(v))
  PUT(sinf(v)) PUT(__sinf(v)) PUT(cosf(v)) PUT(__cosf(v)) PUT(tanf(v)) PUT(__tanf(v))
  PUT(exp10f(v)) PUT(__exp10f(v)) PUT(powf(v, 3.1f)) PUT(__powf(v, 3.1f))
  PUT(s) PUT(__sinf(v)) PUT(c) PUT(__cosf(v))
}
torch::Tensor same(torch::Tensor x) {
  auto y = torch::zeros({26, x.numel()}, x.options());
  same_kernel<<<1, x.numel()>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}

__global__ void tiny_kernel(const float* x, float* y) {
  y[2 * threadIdx.x] = x[0] * 0.5f;
  __syncthreads();
  y[2 * threadIdx.x + 1] = x[1] + x[1];
}
torch::Tensor tiny(torch::Tensor x) {
  auto y = torch::ones({64, 2}, x.options());
  tiny_kernel<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}
__global__ void powers_kernel(const float* x, float* y) {
  y[threadIdx.x] = powf(x[threadIdx.x], 3.0f);
}
torch::Tensor powers(torch::Tensor x) {
  auto y = torch::empty_like(x);
  powers_kernel<<<1, x.numel()>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("same", &same);
  m.def("tiny", &tiny);
  m.def("powers", &powers);
}
