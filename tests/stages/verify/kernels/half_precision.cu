// __half, __half2 and __nv_bfloat16: rounding after every operation.
#include <torch/extension.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void half_kernel(const __half* a, const __half* b, __half* y, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const __half x = a[i], z = b[i];
  y[0 * n + i] = __hadd(x, z);
  y[1 * n + i] = __hsub(x, z);
  y[2 * n + i] = __hmul(x, z);
  y[3 * n + i] = __hdiv(x, z);
  y[4 * n + i] = __hfma(x, z, x);
  y[5 * n + i] = x * z + x;
  y[6 * n + i] = __hmax(x, z);
  y[7 * n + i] = __hlt(x, z) ? __float2half(1.0f) : __float2half(0.0f);
  y[8 * n + i] = hexp(x);
  y[9 * n + i] = __float2half(__half2float(x) * 0.3333f);
  half w = x;
  w += z;
  w *= (half)0.5f;
  y[10 * n + i] = -w;
  y[11 * n + i] = hsqrt(__habs(x));
}
torch::Tensor halves(torch::Tensor a, torch::Tensor b) {
  auto y = torch::empty({12, a.numel()}, a.options());
  half_kernel<<<1, a.numel()>>>(reinterpret_cast<const __half*>(a.data_ptr<at::Half>()),
                                reinterpret_cast<const __half*>(b.data_ptr()),
                                (__half*)y.data_ptr<at::Half>(), a.numel());
  return y;
}

__global__ void half2_kernel(const __half2* a, const __half2* b, __half2* y, int n) {
  const int i = threadIdx.x;
  y[0 * n + i] = __hadd2(a[i], b[i]);
  y[1 * n + i] = __hmul2(a[i], b[i]);
  y[2 * n + i] = __hfma2(a[i], b[i], __float2half2_rn(1.0f));
  y[3 * n + i] = __halves2half2(__high2half(a[i]), __low2half(b[i]));
  const float2 f = __half22float2(a[i]);
  y[4 * n + i] = __floats2half2_rn(f.x + 1.0f, f.y - 1.0f);
  y[5 * n + i] = __hmax2(a[i], b[i]);
  y[6 * n + i] = h2exp(a[i]);
}
torch::Tensor pairs(torch::Tensor a, torch::Tensor b) {
  auto y = torch::empty({7, a.numel()}, a.options());
  const int n = a.numel() / 2;
  half2_kernel<<<1, n>>>((const __half2*)a.data_ptr<at::Half>(),
                         (const half2*)b.data_ptr<at::Half>(), (__half2*)y.data_ptr<at::Half>(), n);
  return y;
}

__global__ void bfloat16_kernel(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* y,
                                int n) {
  const int i = threadIdx.x;
  y[0 * n + i] = __hadd(a[i], b[i]);
  y[1 * n + i] = a[i] * b[i];
  y[2 * n + i] = __float2bfloat16(__bfloat162float(a[i]) / 3.0f);
  y[3 * n + i] = __hfma(a[i], b[i], a[i]);
  const __nv_bfloat162 p = __floats2bfloat162_rn(a[i], b[i]);
  y[4 * n + i] = __high2bfloat16(__hadd2(p, p));
  y[5 * n + i] = __ushort_as_bfloat16(__bfloat16_as_ushort(a[i]) ^ 0x8000);
}
torch::Tensor bfloat16s(torch::Tensor a, torch::Tensor b) {
  auto y = torch::empty({6, a.numel()}, a.options());
  bfloat16_kernel<<<1, a.numel()>>>(
      reinterpret_cast<const __nv_bfloat16*>(a.data_ptr<at::BFloat16>()),
      reinterpret_cast<const __nv_bfloat16*>(b.data_ptr<at::BFloat16>()),
      reinterpret_cast<__nv_bfloat16*>(y.data_ptr<at::BFloat16>()), a.numel());
  return y;
}

template <typename scalar_t>
__global__ void accumulate_kernel(const scalar_t* x, scalar_t* y, int n) {
  float sum = 0.0f;
  scalar_t narrow = static_cast<scalar_t>(0);
  for (int i = 0; i < n; ++i) {
    sum += static_cast<float>(x[i]);
    narrow += x[i];
  }
  y[0] = static_cast<scalar_t>(sum);
  y[1] = narrow;
}
torch::Tensor accumulate(torch::Tensor x) {
  auto y = torch::empty({2}, x.options());
  AT_DISPATCH_REDUCED_FLOATING_TYPES(x.scalar_type(), "accumulate", [&] {
    accumulate_kernel<scalar_t><<<1, 1>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.numel());
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("halves", &halves);
  m.def("pairs", &pairs);
  m.def("bfloat16s", &bfloat16s);
  m.def("accumulate", &accumulate);
}
