// Intrinsics on integers, and on words with two or four packed numbers.
#include <torch/extension.h>
#include <cuda_runtime.h>

#define PUT(value) *to = (value), to += n;
#define BOTH(name) PUT(name##2(a, b)) PUT(name##4(a, b))
#define BOTH_OF_ONE(name) PUT(name##2(a)) PUT(name##4(a))

__global__ void packed_kernel(const int* x, const int* z, int* y, int n) {
  const int i = threadIdx.x;
  const unsigned a = x[i], b = z[i];
  int* to = y + i;
  BOTH(__vadd)
  BOTH(__vsub)
  BOTH(__vaddss)
  BOTH(__vaddus)
  BOTH(__vsubss)
  BOTH(__vsubus)
  BOTH(__vabsdiffs)
  BOTH(__vabsdiffu)
  BOTH(__vavgs)
  BOTH(__vavgu)
  BOTH(__vhaddu)
  BOTH(__vmaxs)
  BOTH(__vmaxu)
  BOTH(__vmins)
  BOTH(__vminu)
  BOTH(__vsads)
  BOTH(__vsadu)
  BOTH_OF_ONE(__vabs)
  BOTH_OF_ONE(__vabsss)
  BOTH_OF_ONE(__vneg)
  BOTH_OF_ONE(__vnegss)
}
__global__ void packed_comparison_kernel(const int* x, const int* z, int* y, int n) {
  const int i = threadIdx.x;
  const unsigned a = x[i], b = z[i];
  int* to = y + i;
  BOTH(__vcmpeq) BOTH(__vcmpne)
  BOTH(__vcmpges) BOTH(__vcmpgeu) BOTH(__vcmpgts) BOTH(__vcmpgtu)
  BOTH(__vcmples) BOTH(__vcmpleu) BOTH(__vcmplts) BOTH(__vcmpltu)
  BOTH(__vseteq) BOTH(__vsetne)
  BOTH(__vsetges) BOTH(__vsetgeu) BOTH(__vsetgts) BOTH(__vsetgtu)
  BOTH(__vsetles) BOTH(__vsetleu) BOTH(__vsetlts) BOTH(__vsetltu)
}
torch::Tensor packed(torch::Tensor x, torch::Tensor z, bool comparisons) {
  const int n = x.numel();
  auto y = torch::zeros({comparisons ? 40 : 42, n}, x.options());
  if (comparisons) {
    packed_comparison_kernel<<<1, n>>>(x.data_ptr<int>(), z.data_ptr<int>(), y.data_ptr<int>(), n);
  } else {
    packed_kernel<<<1, n>>>(x.data_ptr<int>(), z.data_ptr<int>(), y.data_ptr<int>(), n);
  }
  return y;
}

__global__ void word_kernel(const int* x, const int* z, int* y, int n) {
  const int i = threadIdx.x, a = x[i], b = z[i];
  int* to = y + i;
  PUT(__popc(a)) PUT(__clz(a)) PUT(__ffs(a)) PUT(__brev(a))
  PUT(__mul24(a, b)) PUT(__umul24(a, b)) PUT(__mulhi(a, b)) PUT(__umulhi(a, b))
  PUT(__sad(a, b, 7)) PUT(__usad(a, b, 7))
  PUT(__hadd(a, b)) PUT(__rhadd(a, b)) PUT(__uhadd(a, b)) PUT(__urhadd(a, b))
  PUT(__funnelshift_l(a, b, i)) PUT(__funnelshift_r(a, b, i))
  PUT(__funnelshift_lc(a, b, i)) PUT(__funnelshift_rc(a, b, i))
  PUT(__byte_perm(a, b, i * 2654435761u))
  PUT(__dp4a(a, b, 5)) PUT(__dp4a((unsigned)a, (unsigned)b, 5u))
  PUT(__dp2a_lo(a, b, 5)) PUT(__dp2a_hi(a, b, 5))
  PUT(__dp2a_lo((unsigned)a, (unsigned)b, 5u)) PUT(__dp2a_hi((unsigned)a, (unsigned)b, 5u))
  PUT(max(a, b)) PUT(min((unsigned)a, (unsigned)b)) PUT(umax(a, b)) PUT(abs(a))
  PUT(__vimax3_s32(a, b, 100)) PUT(__vimin3_u32(a, b, 100)) PUT(__viaddmax_s32(a, b, 0))
  PUT(__vimax_s32_relu(a, b)) PUT(__vimin_s32_relu(a, b))
}
torch::Tensor words(torch::Tensor x, torch::Tensor z) {
  const int n = x.numel();
  auto y = torch::zeros({34, n}, x.options());
  word_kernel<<<1, n>>>(x.data_ptr<int>(), z.data_ptr<int>(), y.data_ptr<int>(), n);
  return y;
}

__global__ void wide_kernel(const int64_t* x, const int64_t* z, int64_t* y, int n) {
  const int i = threadIdx.x;
  const long long a = x[i], b = z[i];
  int64_t* to = y + i;
  PUT(__popcll(a)) PUT(__clzll(a)) PUT(__ffsll(a)) PUT(__brevll(a))
  PUT(__mul64hi(a, b)) PUT(__umul64hi(a, b))
  PUT(llmax(a, b)) PUT(llmin(a, b)) PUT(ullmax(a, b)) PUT(ullmin(a, b))
  PUT(llabs(a)) PUT(max(a, b)) PUT(min(a, (long long)3))
}
torch::Tensor wide_words(torch::Tensor x, torch::Tensor z) {
  const int n = x.numel();
  auto y = torch::zeros({13, n}, x.options());
  wide_kernel<<<1, n>>>(x.data_ptr<int64_t>(), z.data_ptr<int64_t>(), y.data_ptr<int64_t>(), n);
  return y;
}

// The n-th set bit, from the lowest or the highest.
__global__ void nth_bit_kernel(const int* x, int* y, int n) {
  const int i = threadIdx.x;
  for (int k = 0; k < 9; ++k) y[k * n + i] = __fns(x[i], 16, k - 4);
}
torch::Tensor nth_bits(torch::Tensor x) {
  auto y = torch::zeros({9, x.numel()}, x.options());
  nth_bit_kernel<<<1, x.numel()>>>(x.data_ptr<int>(), y.data_ptr<int>(), x.numel());
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("packed", &packed);
  m.def("words", &words);
  m.def("wide_words", &wide_words);
  m.def("nth_bits", &nth_bits);
}
