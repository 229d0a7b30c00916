# task: swiglu_half_b
# expect: correct
# why: half2 accesses where the pointers are aligned for them, a scalar kernel otherwise, and a scalar tail; the choice is a helper template that looks at addresses
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


CPP = "torch::Tensor swiglu(torch::Tensor gate, torch::Tensor value);"
CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

#include <cuda_fp16.h>
#include <cstdint>

__device__ __forceinline__ float silu(float x) { return x / (1.0f + expf(-x)); }

// As torch rounds: the activation is rounded to half before the product.
__device__ __forceinline__ half one(half g, half v) {
  const half activated = __float2half(silu(__half2float(g)));
  return __float2half(__half2float(activated) * __half2float(v));
}

__global__ void pairs(const half2* g, const half2* v, half2* y, int64_t count) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const half2 a = g[i], b = v[i];
  y[i] = __halves2half2(one(__low2half(a), __low2half(b)), one(__high2half(a), __high2half(b)));
}

__global__ void singles(const half* g, const half* v, half* y, int64_t first, int64_t n) {
  const int64_t i = first + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = one(g[i], v[i]);
}

template <typename Vector>
bool aligned_for(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % alignof(Vector) == 0;
}

torch::Tensor swiglu(torch::Tensor gate, torch::Tensor value) {
  auto y = torch::empty_like(gate);
  const auto* g = reinterpret_cast<const half*>(gate.data_ptr<at::Half>());
  const auto* v = reinterpret_cast<const half*>(value.data_ptr<at::Half>());
  auto* out = reinterpret_cast<half*>(y.data_ptr<at::Half>());
  const int64_t n = gate.numel();
  int64_t done = 0;
  if (aligned_for<half2>(g) && aligned_for<half2>(v) && n >= 2) {
    const int64_t count = n / 2;
    pairs<<<(count + 255) / 256, 256>>>(reinterpret_cast<const half2*>(g), reinterpret_cast<const half2*>(v),
                                        reinterpret_cast<half2*>(out), count);
    done = 2 * count;
  }
  if (done < n) singles<<<(n - done + 255) / 256, 256>>>(g, v, out, done, n);
  return y;
}
"""
ext = load_inline(name="swiglu_half2", cpp_sources=CPP, cuda_sources=CUDA, functions=["swiglu"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, gate, value):
        return ext.swiglu(gate.contiguous(), value.contiguous())
