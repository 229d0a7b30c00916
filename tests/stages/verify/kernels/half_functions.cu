// The functions of cuda_fp16.h and cuda_bf16.h other than conversions, for both formats by one
// template.
#include <torch/extension.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ float wide(__half v) { return __half2float(v); }
__device__ float wide(__nv_bfloat16 v) { return __bfloat162float(v); }
template <typename T>
__device__ T narrow(float v);
template <>
__device__ __half narrow<__half>(float v) { return __float2half_rn(v); }
template <>
__device__ __nv_bfloat16 narrow<__nv_bfloat16>(float v) { return __float2bfloat16_rn(v); }

#define PUT(value) *to = (value), to += n;

template <typename T>
__global__ void arithmetic_kernel(const float* x, const float* z, float* y, int n) {
  const int i = threadIdx.x;
  const T a = narrow<T>(x[i]), b = narrow<T>(z[i]), c = narrow<T>(0.3f);
  float* to = y + i;
  PUT(wide(__hadd(a, b))) PUT(wide(__hsub(a, b))) PUT(wide(__hmul(a, b))) PUT(wide(__hdiv(a, b)))
  PUT(wide(__hadd_rn(a, b))) PUT(wide(__hsub_rn(a, b))) PUT(wide(__hmul_rn(a, b)))
  PUT(wide(__hadd_sat(a, b))) PUT(wide(__hsub_sat(a, b))) PUT(wide(__hmul_sat(a, b)))
  PUT(wide(__hfma(a, b, c))) PUT(wide(__hfma_sat(a, b, c))) PUT(wide(__hfma_relu(a, b, c)))
  PUT(wide(__hneg(a))) PUT(wide(__habs(a)))
  PUT(wide(__hmax(a, b))) PUT(wide(__hmin(a, b)))
  PUT(wide(__hmax_nan(a, b))) PUT(wide(__hmin_nan(a, b)))
}
template <typename T>
__global__ void comparison_kernel(const float* x, const float* z, float* y, int n) {
  const int i = threadIdx.x;
  const T a = narrow<T>(x[i]), b = narrow<T>(z[i]);
  float* to = y + i;
  PUT(__heq(a, b)) PUT(__hne(a, b)) PUT(__hlt(a, b)) PUT(__hle(a, b))
  PUT(__hgt(a, b)) PUT(__hge(a, b))
  PUT(__hequ(a, b)) PUT(__hneu(a, b)) PUT(__hltu(a, b)) PUT(__hleu(a, b))
  PUT(__hgtu(a, b)) PUT(__hgeu(a, b))
  PUT(__hisnan(a)) PUT(__hisinf(a))
}
template <typename T>
__global__ void function_kernel(const float* x, float* y, int n) {
  const int i = threadIdx.x;
  const T a = narrow<T>(x[i]), p = __hadd(__habs(a), narrow<T>(0.25f));
  float* to = y + i;
  PUT(wide(hexp(a))) PUT(wide(hexp2(a))) PUT(wide(hexp10(a))) PUT(wide(hlog(p))) PUT(wide(hlog2(p)))
  PUT(wide(hlog10(p))) PUT(wide(hsqrt(p))) PUT(wide(hrsqrt(p))) PUT(wide(hrcp(p)))
  PUT(wide(hsin(a))) PUT(wide(hcos(a)))
  PUT(wide(hfloor(a))) PUT(wide(hceil(a))) PUT(wide(htrunc(a))) PUT(wide(hrint(a)))
}
torch::Tensor run(torch::Tensor x, torch::Tensor z, bool brain, int what) {
  const int n = x.numel(), rows[] = {19, 14, 15};
  auto y = torch::zeros({rows[what], n}, x.options());
  const float *a = x.data_ptr<float>(), *b = z.data_ptr<float>();
  float* out = y.data_ptr<float>();
  if (what == 0) brain ? arithmetic_kernel<__nv_bfloat16><<<1, n>>>(a, b, out, n)
                       : arithmetic_kernel<__half><<<1, n>>>(a, b, out, n);
  if (what == 1) brain ? comparison_kernel<__nv_bfloat16><<<1, n>>>(a, b, out, n)
                       : comparison_kernel<__half><<<1, n>>>(a, b, out, n);
  if (what == 2) brain ? function_kernel<__nv_bfloat16><<<1, n>>>(a, out, n)
                       : function_kernel<__half><<<1, n>>>(a, out, n);
  return y;
}

__device__ __half2 pair(__half a, __half b) { return __halves2half2(a, b); }
__device__ __nv_bfloat162 pair(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __halves2bfloat162(a, b);
}
__device__ float2 wide2(__half2 v) { return __half22float2(v); }
__device__ float2 wide2(__nv_bfloat162 v) { return __bfloat1622float2(v); }
#define PUT2(value)                            \
  {                                            \
    const float2 both = wide2(value);          \
    to[0] = both.x, to[1] = both.y, to += 2 * n; \
  }
// Each pair has adjacent numbers, with the results of the scalar functions.
template <typename T>
__global__ void pair_kernel(const float* x, const float* z, float* y, unsigned* masks, int n) {
  const int i = threadIdx.x;
  const auto a = pair(narrow<T>(x[2 * i]), narrow<T>(x[2 * i + 1]));
  const auto b = pair(narrow<T>(z[2 * i]), narrow<T>(z[2 * i + 1]));
  const auto c = pair(narrow<T>(0.3f), narrow<T>(-0.3f));
  float* to = y + 2 * i;
  PUT2(__hadd2(a, b)) PUT2(__hsub2(a, b)) PUT2(__hmul2(a, b)) PUT2(__h2div(a, b))
  PUT2(__hfma2(a, b, c))
  PUT2(__hadd2_sat(a, b)) PUT2(__hneg2(a)) PUT2(__habs2(a)) PUT2(__hmax2(a, b)) PUT2(__hmin2(a, b))
  PUT2(__heq2(a, b)) PUT2(__hltu2(a, b)) PUT2(__hisnan2(a))
  PUT2(h2sqrt(__habs2(a))) PUT2(h2floor(a))
  PUT2(__hcmadd(a, b, c))
  masks[i] = __hgt2_mask(a, b);
  masks[n + i] = __hbge2(a, b) | __hbne2(a, b) << 1 | __hbleu2(a, b) << 2;
}
std::vector<torch::Tensor> pairs(torch::Tensor x, torch::Tensor z, bool brain) {
  const int n = x.numel() / 2;
  auto y = torch::zeros({16, 2 * n}, x.options());
  auto masks = torch::zeros({2, n}, x.options().dtype(torch::kInt));
  unsigned* words = reinterpret_cast<unsigned*>(masks.data_ptr<int>());
  if (brain) {
    pair_kernel<__nv_bfloat16><<<1, n>>>(x.data_ptr<float>(), z.data_ptr<float>(),
                                         y.data_ptr<float>(), words, n);
  } else {
    pair_kernel<__half><<<1, n>>>(x.data_ptr<float>(), z.data_ptr<float>(), y.data_ptr<float>(),
                                  words, n);
  }
  return {y, masks};
}

// Halves of pairs, and eight numbers per load.
__global__ void parts_kernel(const __half2* x, __half* y, int n) {
  const int i = threadIdx.x;
  const __half2 v = x[i], w = __lowhigh2highlow(v);
  y[i] = __low2half(v);
  y[n + i] = __high2half(v);
  y[2 * n + i] = __low2half(w);
  y[3 * n + i] = __high2half(__low2half2(v));
  y[4 * n + i] = __low2half(__high2half2(v));
  y[5 * n + i] = __low2half(__lows2half2(v, w));
  y[6 * n + i] = __high2half(__highs2half2(v, w));
  y[7 * n + i] = __float2half(__low2float(v) + __high2float(v));
  y[8 * n + i] = __high2half(__half2half2(v.x));
  y[9 * n + i] = __low2half(make_half2(v.y, v.x));
}
__global__ void eight_kernel(const __half* x, float* y, int n8) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n8) return;
  const uint4 raw = reinterpret_cast<const uint4*>(x)[i];
  const __half2* four = reinterpret_cast<const __half2*>(&raw);
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float2 f = __half22float2(four[k]);
    sum += f.x + f.y;
  }
  y[i] = sum;
}
std::vector<torch::Tensor> parts(torch::Tensor x) {
  const int n = x.numel() / 2;
  auto y = torch::empty({10, n}, x.options());
  auto sums = torch::empty({x.numel() / 8}, x.options().dtype(torch::kFloat));
  parts_kernel<<<1, n>>>(reinterpret_cast<const __half2*>(x.data_ptr<at::Half>()),
                         reinterpret_cast<__half*>(y.data_ptr<at::Half>()), n);
  eight_kernel<<<(n / 4 + 31) / 32, 32>>>(reinterpret_cast<const __half*>(x.data_ptr<at::Half>()),
                                          sums.data_ptr<float>(), n / 4);
  return {y, sums};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("run", &run);
  m.def("pairs", &pairs);
  m.def("parts", &parts);
}
