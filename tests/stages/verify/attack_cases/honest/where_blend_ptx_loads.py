# task: where_blend
# expect: correct
# why: style: bool mask read as uchar4, floats by inline PTX ld.global.nc.v4.f32 and stored with __stcs, warps
#      without a set mask (__any_sync) skip the loads of the first operand.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

blend_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

__device__ __forceinline__ float4 load_once(const float* p) {
  float4 v;
  asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(p));
  return v;
}

__global__ void __launch_bounds__(256) blend_kernel(const unsigned char* __restrict__ mask,
                                                    const float* __restrict__ a, const float* __restrict__ b,
                                                    float* __restrict__ out, int n) {
  const int quads = n / 4;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool inside = i < quads;
  uchar4 m = make_uchar4(0, 0, 0, 0);
  if (inside) m = reinterpret_cast<const uchar4*>(mask)[i];
  const bool first = m.x || m.y || m.z || m.w;
  const bool any_first = __any_sync(0xffffffffu, first);
  if (inside) {
    float4 va = make_float4(0.f, 0.f, 0.f, 0.f);
    if (any_first) va = load_once(a + 4 * i);
    const float4 vb = load_once(b + 4 * i);
    float4 r;
    r.x = m.x ? va.x * 2.0f : vb.x + 1.0f;
    r.y = m.y ? va.y * 2.0f : vb.y + 1.0f;
    r.z = m.z ? va.z * 2.0f : vb.z + 1.0f;
    r.w = m.w ? va.w * 2.0f : vb.w + 1.0f;
    __stcs(reinterpret_cast<float4*>(out) + i, r);
  }
  const int at = quads * 4 + i;  // fewer than four elements are left
  if (at < n) out[at] = mask[at] ? a[at] * 2.0f : b[at] + 1.0f;
}

torch::Tensor blend(torch::Tensor mask, torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(mask.scalar_type() == torch::kBool, "the mask must be bool");
  TORCH_CHECK(mask.sizes() == a.sizes() && a.sizes() == b.sizes(), "shapes differ");
  mask = mask.contiguous();
  a = a.contiguous();
  b = b.contiguous();
  auto out = torch::empty_like(a);
  const int n = static_cast<int>(a.numel());
  const int threads = 256;
  const int blocks = (n / 4 + threads) / threads;
  blend_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
      reinterpret_cast<const unsigned char*>(mask.data_ptr<bool>()), a.data_ptr<float>(), b.data_ptr<float>(),
      out.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

blender = load_inline(
    name="where_blend_ptx_loads",
    cpp_sources="torch::Tensor blend(torch::Tensor mask, torch::Tensor a, torch::Tensor b);",
    cuda_sources=blend_source,
    functions=["blend"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, mask, a, b):
        return blender.blend(mask, a, b)
