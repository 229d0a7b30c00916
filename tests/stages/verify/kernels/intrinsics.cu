// Integer, floating-point and bit intrinsics, and the vector types.
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <math_constants.h>

__global__ void float_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i], a = fabsf(v) + 0.5f;
  y[0 * n + i] = __expf(v);
  y[1 * n + i] = __logf(a);
  y[2 * n + i] = rsqrtf(a);
  y[3 * n + i] = __fdividef(v, a);
  y[4 * n + i] = __fmaf_rn(v, a, 1.0f);
  y[5 * n + i] = __saturatef(v);
  y[6 * n + i] = __powf(a, 1.5f);
  y[7 * n + i] = erff(v);
  y[8 * n + i] = tanhf(v);
  y[9 * n + i] = fmaxf(v, 0.0f) + fminf(v, 0.0f);
  y[10 * n + i] = __frcp_rn(a);
  y[11 * n + i] = log1pf(expf(v));
  y[12 * n + i] = normcdff(v);
  y[13 * n + i] = max(v, 0.25f) + min(v, 1.0f);
  float s, c;
  sincosf(v, &s, &c);
  y[14 * n + i] = s * s + c * c;
  y[15 * n + i] = v == -CUDART_INF_F ? 1.0f : copysignf(CUDART_PI_F, v);
}
torch::Tensor floats(torch::Tensor x) {
  auto y = torch::empty({16, x.numel()}, x.options());
  float_kernel<<<(x.numel() + 31) / 32, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}

__global__ void rounding_kernel(const float* x, int* y, int n) {
  const int i = threadIdx.x;
  y[0 * n + i] = __float2int_rn(x[i]);
  y[1 * n + i] = __float2int_rz(x[i]);
  y[2 * n + i] = __float2int_rd(x[i]);
  y[3 * n + i] = __float2int_ru(x[i]);
  y[4 * n + i] = __float_as_int(__fadd_ru(x[i], 1e-9f)) - __float_as_int(__fadd_rd(x[i], 1e-9f));
  y[5 * n + i] = __float_as_int(__int_as_float(__float_as_int(x[i]))) == __float_as_int(x[i]);
}
torch::Tensor roundings(torch::Tensor x) {
  auto y = torch::empty({6, x.numel()}, x.options().dtype(torch::kInt));
  rounding_kernel<<<1, x.numel()>>>(x.data_ptr<float>(), y.data_ptr<int>(), x.numel());
  return y;
}

__global__ void bit_kernel(const int* x, int* y, int n) {
  const int i = threadIdx.x, v = x[i];
  y[0 * n + i] = __popc(v);
  y[1 * n + i] = __clz(v);
  y[2 * n + i] = __ffs(v);
  y[3 * n + i] = __brev(v);
  y[4 * n + i] = __mulhi(v, v);
  y[5 * n + i] = __umulhi(v, v);
  y[6 * n + i] = __byte_perm(v, 0x01020304, 0x0415);
  y[7 * n + i] = __funnelshift_l(v, 0x80000000u, 4);
  y[8 * n + i] = __dp4a(v, 0x01010101, 7);
  y[9 * n + i] = __mul24(v, 3);
  y[10 * n + i] = __sad(v, 100, 1u);
  y[11 * n + i] = __popcll(((long long)v << 32) | 1);
}
torch::Tensor bits(torch::Tensor x) {
  auto y = torch::empty({12, x.numel()}, x.options());
  bit_kernel<<<1, x.numel()>>>(x.data_ptr<int>(), y.data_ptr<int>(), x.numel());
  return y;
}

__global__ void vector_kernel(const float* x, float* y, int* sizes) {
  const int i = threadIdx.x;
  const float2 two = reinterpret_cast<const float2*>(x)[i];
  const int4 four = make_int4(i, 2 * i, 3 * i, 4 * i);
  const float3 three = make_float3(two.x, two.y, four.w);
  const double2 wide = make_double2(three.x, three.z);
  const uchar4 bytes = make_uchar4(i, 255, 3, 4);
  y[i] = two.x + three.y + float(wide.y) + four.z + bytes.x + bytes.y;
  if (i == 0) {
    const int all[] = {sizeof(float2), alignof(float2), sizeof(float3), alignof(float3),
                       sizeof(float4), alignof(float4), sizeof(double4), alignof(double4),
                       sizeof(uchar4), alignof(uchar4), sizeof(short2), alignof(longlong2),
                       sizeof(dim3)};
    for (int k = 0; k < 13; ++k) sizes[k] = all[k];
  }
}
std::vector<torch::Tensor> vectors(torch::Tensor x) {
  auto y = torch::empty({x.numel() / 2}, x.options());
  auto sizes = torch::empty({13}, x.options().dtype(torch::kInt));
  vector_kernel<<<1, x.numel() / 2>>>(x.data_ptr<float>(), y.data_ptr<float>(),
                                      sizes.data_ptr<int>());
  return {y, sizes};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("floats", &floats);
  m.def("roundings", &roundings);
  m.def("bits", &bits);
  m.def("vectors", &vectors);
}
