# task: ../../tasks/rotate_half
# expect: correct
# why: inline PTX (ld.global.nc.v4.f32, fma.rn.f32, st.global.v4.f32) on groups of four where 16-byte alignment holds (rows of 16 floats, halves of 8),
# plain code where it does not. Every thread reads both partners and writes both, out of place.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

rope_cuda = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__device__ __forceinline__ float4 load_nc(const float* p) {
  float4 v;
  asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(p));
  return v;
}

__device__ __forceinline__ void store4(float* p, float4 v) {
  asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
               : "memory");
}

__device__ __forceinline__ float fma_rn(float a, float b, float c) {
  float d;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c));
  return d;
}

__device__ __forceinline__ float4 rotate4(float4 x, float4 c, float4 other, float4 s, float sign) {
  float4 r;
  r.x = fma_rn(x.x, c.x, sign * other.x * s.x);
  r.y = fma_rn(x.y, c.y, sign * other.y * s.y);
  r.z = fma_rn(x.z, c.z, sign * other.z * s.z);
  r.w = fma_rn(x.w, c.w, sign * other.w * s.w);
  return r;
}

__global__ void rope_vec4(const float* __restrict__ x, const float* __restrict__ cosine,
                          const float* __restrict__ sine, float* __restrict__ y, int heads, int half,
                          int work) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= work) return;
  const int quads = half / 4;
  const int i = t % quads * 4;
  const int row = t / quads;            // position * heads + head
  const int position = row / heads;
  const size_t at = (size_t)row * 2 * half + i;
  const size_t angle = (size_t)position * 2 * half + i;
  const float4 a = load_nc(x + at), b = load_nc(x + at + half);
  store4(y + at, rotate4(a, load_nc(cosine + angle), b, load_nc(sine + angle), -1.0f));
  store4(y + at + half,
         rotate4(b, load_nc(cosine + angle + half), a, load_nc(sine + angle + half), 1.0f));
}

__global__ void rope_scalar(const float* __restrict__ x, const float* __restrict__ cosine,
                            const float* __restrict__ sine, float* __restrict__ y, int heads, int half,
                            int work) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= work) return;
  const int i = t % half, row = t / half, position = row / heads;
  const size_t at = (size_t)row * 2 * half + i;
  const size_t angle = (size_t)position * 2 * half + i;
  const float a = x[at], b = x[at + half];
  y[at] = a * cosine[angle] - b * sine[angle];
  y[at + half] = b * cosine[angle + half] + a * sine[angle + half];
}

static bool aligned(const torch::Tensor& t) {
  return reinterpret_cast<uintptr_t>(t.data_ptr()) % 16 == 0;
}

torch::Tensor rope(torch::Tensor x, torch::Tensor cosine, torch::Tensor sine) {
  TORCH_CHECK(x.dim() == 3 && x.size(2) % 2 == 0);
  TORCH_CHECK(cosine.size(0) == x.size(0) && cosine.size(1) == 1 && cosine.size(2) == x.size(2));
  x = x.contiguous();
  cosine = cosine.contiguous();
  sine = sine.contiguous();
  auto y = torch::empty_like(x);
  const int heads = x.size(1), half = x.size(2) / 2, rows = x.size(0) * heads;
  auto stream = at::cuda::getCurrentCUDAStream();
  if (half % 4 == 0 && aligned(x) && aligned(cosine) && aligned(sine) && aligned(y)) {
    const int work = rows * (half / 4);
    rope_vec4<<<(work + 63) / 64, 64, 0, stream>>>(x.data_ptr<float>(), cosine.data_ptr<float>(),
        sine.data_ptr<float>(), y.data_ptr<float>(), heads, half, work);
  } else {
    const int work = rows * half;
    rope_scalar<<<(work + 63) / 64, 64, 0, stream>>>(x.data_ptr<float>(), cosine.data_ptr<float>(),
        sine.data_ptr<float>(), y.data_ptr<float>(), heads, half, work);
  }
  return y;
}
"""

rope_ext = load_inline(
    name="rotate_half_ptx",
    cpp_sources="torch::Tensor rope(torch::Tensor x, torch::Tensor cosine, torch::Tensor sine);",
    cuda_sources=rope_cuda,
    functions=["rope"],
)


class ModelNew(nn.Module):
    def forward(self, x, cos, sin):
        return rope_ext.rope(x, cos, sin)
