# task: swiglu_bf16
# expect: correct
# why: eight bfloat16 per 16-byte load; silu is rounded to bfloat16 before the product, as the two torch operators do
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

CUDA_SRC = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cuda_bf16.h>

union Pack {
  uint4 raw;
  __nv_bfloat162 pair[4];
};
static_assert(sizeof(Pack) == 16, "a pack is one 128-bit load");

__device__ __forceinline__ float silu_f32(float v) { return v / (1.0f + expf(-v)); }

__device__ __forceinline__ __nv_bfloat162 swiglu_pair(__nv_bfloat162 g, __nv_bfloat162 u) {
  const float2 gf = __bfloat1622float2(g), uf = __bfloat1622float2(u);
  // torch rounds the result of silu before it multiplies
  const float2 s = __bfloat1622float2(__floats2bfloat162_rn(silu_f32(gf.x), silu_f32(gf.y)));
  return __floats2bfloat162_rn(s.x * uf.x, s.y * uf.y);
}

__global__ void swiglu_kernel(const uint4* __restrict__ gate, const uint4* __restrict__ up,
                              uint4* __restrict__ out, int64_t packs) {
  const int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < packs; i += step) {
    Pack g, u, o;
    g.raw = gate[i];
    u.raw = up[i];
#pragma unroll
    for (int j = 0; j < 4; ++j) o.pair[j] = swiglu_pair(g.pair[j], u.pair[j]);
    out[i] = o.raw;
  }
}

torch::Tensor swiglu(torch::Tensor gate, torch::Tensor up) {
  TORCH_CHECK(gate.scalar_type() == at::kBFloat16 && up.scalar_type() == at::kBFloat16);
  TORCH_CHECK(gate.sizes() == up.sizes());
  TORCH_CHECK(gate.numel() % 8 == 0, "needs a multiple of 8 elements");
  auto out = torch::empty_like(gate);
  const int64_t packs = gate.numel() / 8;
  const int threads = 128;
  const int blocks = static_cast<int>(std::min<int64_t>((packs + threads - 1) / threads, 1024));
  swiglu_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
      reinterpret_cast<const uint4*>(gate.data_ptr()), reinterpret_cast<const uint4*>(up.data_ptr()),
      reinterpret_cast<uint4*>(out.data_ptr()), packs);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("swiglu", &swiglu, "silu(gate) * up for bfloat16", py::arg("gate"), py::arg("up"));
}
"""

ext = load_inline(name="swiglu_bf16_ext", cpp_sources="", cuda_sources=CUDA_SRC)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, gate, up):
        return ext.swiglu(gate, up)


def _reference(gate, up):
    return F.silu(gate) * up


def _time(function, *args, repeat=50):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    for _ in range(5):
        function(*args)
    start.record()
    for _ in range(repeat):
        function(*args)
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / repeat


def main():
    parser = argparse.ArgumentParser(description="Times the kernel against torch.")
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--hidden", type=int, default=2048)
    parser.add_argument("--repeat", type=int, default=50)
    options = parser.parse_args()
    gate, up = (torch.randn(options.tokens, options.hidden, device="cuda").bfloat16() for _ in range(2))
    model = ModelNew().cuda()
    torch.testing.assert_close(model(gate, up), _reference(gate, up), rtol=1e-2, atol=1e-2)
    print(f"kernel {_time(model, gate, up, repeat=options.repeat):.4f} ms, "
          f"torch {_time(_reference, gate, up, repeat=options.repeat):.4f} ms")


if __name__ == "__main__":
    main()
