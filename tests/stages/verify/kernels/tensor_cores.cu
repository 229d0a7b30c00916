// Tensor cores: wmma's fragments, and ldmatrix and mma of inline PTX.
#include <torch/extension.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <cstdint>

using namespace nvcuda;

// y = scale * (a @ b) + c for one tile by one warp.
template <typename T, typename Storage, typename Sum, int M, int N, int K, typename A, typename B>
__global__ void wmma_kernel(const Storage* a, const Storage* b, const Sum* c, Sum* y, bool by_rows) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, A> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, B> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sum, zero;
  wmma::load_matrix_sync(fa, a, std::is_same<A, wmma::row_major>::value ? K : M);
  wmma::load_matrix_sync(fb, b, std::is_same<B, wmma::row_major>::value ? N : K);
  wmma::load_matrix_sync(sum, c, by_rows ? N : M, by_rows ? wmma::mem_row_major : wmma::mem_col_major);
  wmma::fill_fragment(zero, Sum(0));
  wmma::mma_sync(zero, fa, fb, zero);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = sum.x[i] + zero.x[i] + zero.x[i];
  wmma::store_matrix_sync(y, sum, by_rows ? N : M, by_rows ? wmma::mem_row_major : wmma::mem_col_major);
}
template <typename T, typename Storage, typename Sum, int M, int N, int K>
void wmma_of(torch::Tensor a, torch::Tensor b, torch::Tensor c, torch::Tensor y, bool rows) {
  const auto* pa = reinterpret_cast<const Storage*>(a.data_ptr());
  const auto* pb = reinterpret_cast<const Storage*>(b.data_ptr());
  const auto* pc = reinterpret_cast<const Sum*>(c.data_ptr());
  auto* py = reinterpret_cast<Sum*>(y.data_ptr());
  using Row = wmma::row_major;
  using Column = wmma::col_major;
  if (rows) {
    wmma_kernel<T, Storage, Sum, M, N, K, Row, Column><<<1, 32>>>(pa, pb, pc, py, rows);
  } else {
    wmma_kernel<T, Storage, Sum, M, N, K, Column, Row><<<1, 32>>>(pa, pb, pc, py, rows);
  }
}
void wmma_tile(std::string what, torch::Tensor a, torch::Tensor b, torch::Tensor c, torch::Tensor y,
               bool rows) {
#define SHAPE(name, T, Storage, Sum, M, N, K) \
  if (what == name) wmma_of<T, Storage, Sum, M, N, K>(a, b, c, y, rows);
  SHAPE("half", half, half, float, 16, 16, 16)
  SHAPE("half_sums", half, half, half, 16, 16, 16)
  SHAPE("half_tall", half, half, float, 32, 8, 16)
  SHAPE("half_wide", half, half, float, 8, 32, 16)
  SHAPE("bfloat16", __nv_bfloat16, __nv_bfloat16, float, 16, 16, 16)
  SHAPE("bfloat16_tall", __nv_bfloat16, __nv_bfloat16, float, 32, 8, 16)
  SHAPE("tf32", wmma::precision::tf32, float, float, 16, 16, 8)
  SHAPE("int8", signed char, signed char, int, 16, 16, 16)
  SHAPE("uint8", unsigned char, unsigned char, int, 8, 32, 16)
  SHAPE("double", double, double, double, 8, 8, 4)
}

// An accumulator of 16 x 16 is held as devices hold it.
__global__ void places_kernel(const float* x, float* y) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> f;
  wmma::load_matrix_sync(f, x, 16, wmma::mem_row_major);
  const int g = threadIdx.x >> 2, t = threadIdx.x & 3;
  for (int i = 0; i < f.num_elements; ++i) {
    y[(g + (i & 2) * 4) * 16 + 2 * t + (i & 1) + (i & 4) * 2] = f.x[i];
  }
}
torch::Tensor places(torch::Tensor x) {
  auto y = torch::zeros_like(x);
  places_kernel<<<1, 32>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}

__device__ __forceinline__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
#define LDMATRIX_X4(r, p)                                                          \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"   \
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                    \
               : "r"(shared_address(p)))
// 16x8 = 16x16 @ 16x8 by ldmatrix and mma; b is 16x8 in rows.
template <typename T>
__global__ void mma16_kernel(const T* a, const T* b, const float* c, float* y) {
  __shared__ __align__(16) T sa[16][24], sb[16][8];
  const int lane = threadIdx.x, g = lane >> 2, t = lane & 3;
  for (int i = lane; i < 256; i += 32) sa[i / 16][i % 16] = a[i];
  for (int i = lane; i < 128; i += 32) sb[i / 8][i % 8] = b[i];
  __syncwarp();
  uint32_t ra[4], rb[2];
  LDMATRIX_X4(ra, &sa[lane % 16][lane / 16 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(rb[0]), "=r"(rb[1]) : "r"(shared_address(&sb[lane % 16][0])));
  float d[4] = {c[g * 8 + 2 * t], c[g * 8 + 2 * t + 1], c[(g + 8) * 8 + 2 * t],
                c[(g + 8) * 8 + 2 * t + 1]};
  if constexpr (std::is_same<T, half>::value) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  }
  y[g * 8 + 2 * t] = d[0];
  y[g * 8 + 2 * t + 1] = d[1];
  y[(g + 8) * 8 + 2 * t] = d[2];
  y[(g + 8) * 8 + 2 * t + 1] = d[3];
}
torch::Tensor mma16(torch::Tensor a, torch::Tensor b, torch::Tensor c) {
  auto y = torch::empty_like(c);
  if (a.scalar_type() == torch::kHalf) {
    mma16_kernel<half><<<1, 32>>>(reinterpret_cast<const half*>(a.data_ptr()),
                                  reinterpret_cast<const half*>(b.data_ptr()),
                                  c.data_ptr<float>(), y.data_ptr<float>());
  } else {
    mma16_kernel<__nv_bfloat16><<<1, 32>>>(reinterpret_cast<const __nv_bfloat16*>(a.data_ptr()),
                                           reinterpret_cast<const __nv_bfloat16*>(b.data_ptr()),
                                           c.data_ptr<float>(), y.data_ptr<float>());
  }
  return y;
}

// The other shapes, with b as 8xK: each lane takes its elements from global memory.
__global__ void mma_tf32_kernel(const float* a, const float* b, float* y) {
  const int lane = threadIdx.x, g = lane >> 2, t = lane & 3;
  uint32_t ra[4], rb[2];
  const float from[6] = {a[g * 8 + t], a[(g + 8) * 8 + t], a[g * 8 + t + 4], a[(g + 8) * 8 + t + 4],
                         b[g * 8 + t], b[g * 8 + t + 4]};
  for (int i = 0; i < 6; ++i) {
    uint32_t rounded;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(from[i]));
    (i < 4 ? ra[i] : rb[i - 4]) = rounded;
  }
  float d[4];
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]), "f"(0.0f));
  for (int i = 0; i < 4; ++i) y[(g + (i >> 1) * 8) * 8 + 2 * t + (i & 1)] = d[i];
}
__global__ void mma_k8_kernel(const uint32_t* a, const uint32_t* b, uint32_t* y) {
  const int lane = threadIdx.x, g = lane >> 2, t = lane & 3;
  uint32_t d[2];
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %6};"
               : "=r"(d[0]), "=r"(d[1])
               : "r"(a[g * 4 + t]), "r"(a[(g + 8) * 4 + t]), "r"(b[g * 4 + t]), "r"(0), "r"(0));
  y[g * 4 + t] = d[0];
  y[(g + 8) * 4 + t] = d[1];
}
__global__ void mma_int8_kernel(const uint32_t* a, const uint32_t* b, int* y) {
  const int lane = threadIdx.x, g = lane >> 2, t = lane & 3;
  int d[4] = {1, 2, 3, 4};
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[g * 8 + t]), "r"(a[(g + 8) * 8 + t]), "r"(a[g * 8 + t + 4]),
        "r"(a[(g + 8) * 8 + t + 4]), "r"(b[g * 8 + t]), "r"(b[g * 8 + t + 4]));
  for (int i = 0; i < 4; ++i) y[(g + (i >> 1) * 8) * 8 + 2 * t + (i & 1)] = d[i] - 1 - i;
}
__global__ void mma_double_kernel(const double* a, const double* b, double* y) {
  const int lane = threadIdx.x, g = lane >> 2, t = lane & 3;
  double d0, d1;
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %4};"
               : "=d"(d0), "=d"(d1) : "d"(a[g * 4 + t]), "d"(b[g * 4 + t]), "d"(0.0));
  y[g * 8 + 2 * t] = d0;
  y[g * 8 + 2 * t + 1] = d1;
}
void mma_other(torch::Tensor a, torch::Tensor b, torch::Tensor y) {
  const auto words = [](torch::Tensor x) { return reinterpret_cast<uint32_t*>(x.data_ptr()); };
  if (a.scalar_type() == torch::kFloat) {
    mma_tf32_kernel<<<1, 32>>>(a.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>());
  } else if (a.scalar_type() == torch::kHalf) {
    mma_k8_kernel<<<1, 32>>>(words(a), words(b), words(y));
  } else if (a.scalar_type() == torch::kDouble) {
    mma_double_kernel<<<1, 32>>>(a.data_ptr<double>(), b.data_ptr<double>(), y.data_ptr<double>());
  } else {
    mma_int8_kernel<<<1, 32>>>(words(a), words(b), y.data_ptr<int>());
  }
}

// y = x with each 8x8 tile transposed, by ldmatrix.trans.
__global__ void transpose_kernel(const half* x, half* y) {
  __shared__ __align__(16) half tile[4][8][8];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) (&tile[0][0][0])[i] = x[i];
  __syncwarp();
  uint32_t r[4];
  const uint32_t row = shared_address(&tile[lane / 8][lane % 8][0]);
  asm volatile("ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row));
  for (int i = 0; i < 4; ++i) {
    reinterpret_cast<uint32_t*>(y)[i * 32 + lane] = r[i];
  }
}
torch::Tensor transposed_tiles(torch::Tensor x) {
  auto y = torch::empty_like(x);
  transpose_kernel<<<1, 32>>>(reinterpret_cast<const half*>(x.data_ptr()),
                              reinterpret_cast<half*>(y.data_ptr()));
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("wmma_tile", &wmma_tile);
  m.def("places", &places);
  m.def("mma16", &mma16);
  m.def("mma_other", &mma_other);
  m.def("transposed_tiles", &transposed_tiles);
}
