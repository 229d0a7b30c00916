# task: gelu_tanh
# expect: correct
# why: style: C++ functor and template vector width, grid-stride over 16-byte packs with a scalar tail,
#      alignment decides the width; PYBIND11_MODULE in the CUDA source.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_SOURCE = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <algorithm>
#include <cstdint>

namespace elementwise {

template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
  T item[N];
};

struct GeluTanh {
  static constexpr float kAlpha = 0.7978845608028654f;
  static constexpr float kBeta = 0.044715f;
  __device__ __forceinline__ float operator()(float x) const {
    const float inner = kAlpha * (x + kBeta * x * x * x);
    return 0.5f * x * (1.0f + tanhf(inner));
  }
};

template <int VEC, typename Op>
__global__ void __launch_bounds__(256)
map_kernel(const float* __restrict__ in, float* __restrict__ out, int64_t n, Op op) {
  using P = Pack<float, VEC>;
  const int64_t packs = n / VEC;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int64_t i = first; i < packs; i += stride) {
    P pack = reinterpret_cast<const P*>(in)[i];
#pragma unroll
    for (int k = 0; k < VEC; ++k) pack.item[k] = op(pack.item[k]);
    reinterpret_cast<P*>(out)[i] = pack;
  }
  for (int64_t i = packs * VEC + first; i < n; i += stride) out[i] = op(in[i]);
}

template <int VEC, typename Op>
void launch(const float* in, float* out, int64_t n, Op op) {
  constexpr int kThreads = 256;
  const int64_t wanted = (n / VEC + kThreads) / kThreads;
  const int blocks = static_cast<int>(std::min<int64_t>(std::max<int64_t>(wanted, 1), 4096));
  map_kernel<VEC, Op><<<blocks, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(in, out, n, op);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace elementwise

torch::Tensor gelu_forward(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda(), "gelu_forward: x must be on the GPU");
  TORCH_CHECK(x.scalar_type() == torch::kFloat32, "gelu_forward: x must be float32");
  x = x.contiguous();
  auto out = torch::empty_like(x);
  const int64_t n = x.numel();
  if (n == 0) return out;
  const float* in = x.data_ptr<float>();
  float* to = out.data_ptr<float>();
  if (reinterpret_cast<std::uintptr_t>(in) % 16 == 0) {
    elementwise::launch<4>(in, to, n, elementwise::GeluTanh{});
  } else {
    elementwise::launch<1>(in, to, n, elementwise::GeluTanh{});
  }
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("gelu_forward", &gelu_forward, "tanh GELU (CUDA)");
}
"""

_ext = load_inline(name="gelu_functor_packs", cpp_sources="", cuda_sources=_SOURCE, verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return _ext.gelu_forward(x)
