// Inline PTX: arithmetic, conversions, predicates, registers of its own, special registers.
#include <torch/extension.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

// Each row of y is the result of one instruction for every element.
#define TWO(row, text) \
  asm(text " %0, %1, %2;" : "=r"(r) : "r"(a[i]), "r"(b[i])); \
  y[row * n + i] = r;
#define THREE(row, text)                                                        \
  asm volatile(text " %0, %1, %2, %3;" : "=r"(r) : "r"(a[i]), "r"(b[i]), "r"(c[i])); \
  y[row * n + i] = r;
__global__ void integer_kernel(const int* a, const int* b, const int* c, int* y, int n) {
  const int i = threadIdx.x;
  int r;
  TWO(0, "add.s32")
  TWO(1, "sub.u32")
  TWO(2, "mul.lo.s32")
  TWO(3, "mul.hi.s32")
  TWO(4, "mul.hi.u32")
  TWO(5, "min.s32")
  TWO(6, "max.u32")
  TWO(7, "and.b32")
  TWO(8, "or.b32")
  TWO(9, "xor.b32")
  TWO(10, "shl.b32")
  TWO(11, "shr.s32")
  TWO(12, "shr.u32")
  TWO(13, "add.sat.s32")
  THREE(14, "mad.lo.s32")
  THREE(15, "prmt.b32")
  THREE(16, "bfe.s32")
  THREE(17, "bfe.u32")
  THREE(18, "shf.l.wrap.b32")
  THREE(19, "shf.r.clamp.b32")
  THREE(20, "dp4a.s32.s32")
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(a[i]), "r"(b[i]), "r"(c[i]));
  y[21 * n + i] = r;
  asm("bfi.b32 %0, %1, %2, %3, 5;" : "=r"(r) : "r"(a[i]), "r"(b[i]), "r"(c[i] & 31));
  y[22 * n + i] = r;
  asm("{ .reg .b32 t<2>;\n\tpopc.b32 t0, %1;\n\tclz.b32 t1, %1; // both\n\tadd.s32 %0, t0, t1; }"
      : "=r"(r) : "r"(a[i]));
  y[23 * n + i] = r;
  asm("brev.b32 %0, %1;" : "=r"(y[24 * n + i]) : "r"(a[i]));
  asm("{.reg .pred p; setp.lt.and.s32 p, %1, %2, 1; @p mov.u32 %0, 7; @!p selp.s32 %0, %1, %2, p;}"
      : "=r"(r) : "r"(a[i]), "r"(b[i]));
  y[25 * n + i] = r;
  long long wide;
  asm("mul.wide.s32 %0, %1, %2;" : "=l"(wide) : "r"(a[i]), "r"(b[i]));
  y[26 * n + i] = static_cast<int>(wide >> 32);
  unsigned low, high;
  asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(wide));
  y[27 * n + i] = low ^ high;
  asm("mov.b32 %0, {%1, %2};" : "=r"(r) : "h"((short)a[i]), "h"((short)b[i]));
  y[28 * n + i] = r;
  r = c[i];
  asm("add.s32 %0, %0, %1;" : "+r"(r) : "n"(41));
  y[29 * n + i] = r;
  asm("bfind.s32 %0, %1;" : "=r"(r) : "r"(a[i]));
  y[30 * n + i] = r;
  asm("cvt.sat.u8.s32 %0, %1;" : "=r"(r) : "r"(a[i]));
  y[31 * n + i] = r;
}
torch::Tensor integers(torch::Tensor a, torch::Tensor b, torch::Tensor c) {
  const int n = a.numel();
  auto y = torch::zeros({32, n}, a.options());
  integer_kernel<<<1, n>>>(a.data_ptr<int>(), b.data_ptr<int>(), c.data_ptr<int>(),
                           y.data_ptr<int>(), n);
  return y;
}

#define FLOAT(row, text)                                                        \
  asm(text : "=f"(r) : "f"(a[i]), "f"(b[i]), "f"(c[i]));                        \
  y[row * n + i] = r;
__global__ void float_kernel(const float* a, const float* b, const float* c, float* y, int n) {
  const int i = threadIdx.x;
  float r;
  FLOAT(0, "add.f32 %0, %1, %2;")
  FLOAT(1, "sub.rn.f32 %0, %1, %2;")
  FLOAT(2, "mul.ftz.f32 %0, %1, %2;")
  FLOAT(3, "fma.rn.f32 %0, %1, %2, %3;")
  FLOAT(4, "div.rn.f32 %0, %1, %2;")
  FLOAT(5, "min.f32 %0, %1, %2;")
  FLOAT(6, "max.f32 %0, %1, %2;")
  FLOAT(7, "neg.f32 %0, %1;")
  FLOAT(8, "abs.f32 %0, %1;")
  FLOAT(9, "sqrt.rn.f32 %0, %3;")
  FLOAT(10, "rcp.rn.f32 %0, %1;")
  FLOAT(11, "ex2.approx.ftz.f32 %0, %1;")
  FLOAT(12, "lg2.approx.f32 %0, %3;")
  FLOAT(13, "rsqrt.approx.f32 %0, %3;")
  FLOAT(14, "tanh.approx.f32 %0, %1;")
  FLOAT(15, "sin.approx.f32 %0, %1;")
  FLOAT(16, "cos.approx.f32 %0, %1;")
  FLOAT(17, "add.sat.f32 %0, %1, %2;")
  FLOAT(18, "add.rz.f32 %0, %1, %2;")
  FLOAT(19, "add.rp.f32 %0, %1, %2;")
  FLOAT(20, "mul.f32 %0, %1, 0f3FC00000;")
  FLOAT(21, "mul.f32 %0, %1, 2.5;")
  FLOAT(22, "cvt.rni.f32.f32 %0, %1;")
  FLOAT(23, "cvt.rmi.f32.f32 %0, %1;")
  FLOAT(24, "{.reg .pred p; setp.gt.f32 p, %1, %2; selp.f32 %0, %1, %2, p;}")
  FLOAT(25, "{.reg .b32 t; cvt.rna.tf32.f32 t, %1; mov.b32 %0, t;}")
  FLOAT(26, "{.reg .s32 t; cvt.rzi.s32.f32 t, %1; cvt.rn.f32.s32 %0, t;}")
  FLOAT(27, "{.reg .b16 h; cvt.rn.f16.f32 h, %1; cvt.f32.f16 %0, h;}")
  FLOAT(28, "{.reg .b16 h; cvt.rn.bf16.f32 h, %1; cvt.f32.bf16 %0, h;}")
  FLOAT(29, "{.reg .f64 d; cvt.f64.f32 d, %1; mul.f64 d, d, d; cvt.rn.f32.f64 %0, d;}")
  FLOAT(30, "copysign.f32 %0, %1, %2;")
  FLOAT(31, "max.NaN.f32 %0, %1, %2;")
}
torch::Tensor floats(torch::Tensor a, torch::Tensor b, torch::Tensor c) {
  const int n = a.numel();
  auto y = torch::zeros({32, n}, a.options());
  float_kernel<<<1, n>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(),
                         y.data_ptr<float>(), n);
  return y;
}

__global__ void pair_kernel(const float* a, const float* b, unsigned* y, int n) {
  const int i = threadIdx.x;
  unsigned x, z, r;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(x) : "f"(a[i]), "f"(b[i]));
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(z) : "f"(a[i]), "f"(b[i]));
  y[i] = x;
  y[n + i] = z;
  asm("add.f16x2 %0, %1, %1;" : "=r"(r) : "r"(x));
  y[2 * n + i] = r;
  asm("fma.rn.bf16x2 %0, %1, %1, %1;" : "=r"(r) : "r"(z));
  y[3 * n + i] = r;
  asm("{.reg .f16 low, high; mov.b32 {low, high}, %1; neg.f16 low, low; mov.b32 %0, {low, high};}"
      : "=r"(r) : "r"(x));
  y[4 * n + i] = r;
  asm("max.f16x2 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(0u));
  y[5 * n + i] = r;
}
torch::Tensor pairs(torch::Tensor a, torch::Tensor b) {
  const int n = a.numel();
  auto y = torch::zeros({6, n}, a.options().dtype(torch::kInt));
  pair_kernel<<<1, n>>>(a.data_ptr<float>(), b.data_ptr<float>(),
                        reinterpret_cast<unsigned*>(y.data_ptr<int>()), n);
  return y;
}

template <int kStep>
__device__ __forceinline__ int stepped(int x) {
  int y;
  asm("add.s32 %0, %1, %2;" : "=r"(y) : "r"(x), "n"(kStep * 2));
  return y;
}
#define SPECIAL(row, name) \
  asm volatile("mov.u32 %0, " name ";" : "=r"(r)); \
  y[row * n + i] = r;
#define WAIT_FOR(what) asm volatile("bar." #what ".sync 0xffffffff;" ::: "memory")
__global__ void thread_kernel(int* y, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  int r;
  SPECIAL(0, "%%laneid")
  SPECIAL(1, "%%tid.x")
  SPECIAL(2, "%%ctaid.x")
  SPECIAL(3, "%%ntid.x")
  SPECIAL(4, "%%lanemask_lt")
  SPECIAL(5, "%%warpid")
  WAIT_FOR(warp);
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(r) : "r"(i));
  y[6 * n + i] = r;
  asm volatile("{.reg .pred p; shfl.sync.up.b32 %0|p, %1, 3, 0, -1; @!p mov.b32 %0, -1;}"
               : "=r"(r) : "r"(i));
  y[7 * n + i] = r;
  asm volatile("{.reg .pred p; setp.ne.b32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff;}"
               : "=r"(r) : "r"(i & 4));
  y[8 * n + i] = r;
  asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(i));
  y[9 * n + i] = r;
  y[10 * n + i] = stepped<3>(i);
  asm volatile("" ::: "memory");
}
torch::Tensor threads(int blocks) {
  const int n = blocks * 64;
  auto y = torch::zeros({11, n}, torch::dtype(torch::kInt).device(torch::kCUDA));
  thread_kernel<<<blocks, 64>>>(y.data_ptr<int>(), n);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("integers", &integers);
  m.def("floats", &floats);
  m.def("pairs", &pairs);
  m.def("threads", &threads);
}
