# task: mask_logic
# expect: correct
# why: style: bools as uchar4 next to float4, a count by __popc of packed flags, __reduce_add_sync guarded by
#      __CUDA_ARCH__ with a fallback of shuffles, named constants.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

static constexpr int kWarpSize = 32;
static constexpr int kWarpsPerBlock = 4;

__device__ __forceinline__ unsigned warp_sum(unsigned v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xffffffffu, v);
#else
  for (int offset = kWarpSize / 2; offset > 0; offset >>= 1) v += __shfl_xor_sync(0xffffffffu, v, offset);
  return v;
#endif
}

__global__ void mask_logic_kernel(const float4* __restrict__ a, const float4* __restrict__ b,
                                  const uchar4* __restrict__ mask, uchar4* __restrict__ hit, int64_t* __restrict__ count,
                                  int rows, int cols4) {
  const int row = blockIdx.x * kWarpsPerBlock + threadIdx.x / kWarpSize;
  const int lane = threadIdx.x % kWarpSize;
  if (row >= rows) return;
  const int64_t base = (int64_t)row * cols4;
  unsigned found = 0;
  for (int c = lane; c < cols4; c += kWarpSize) {
    const float4 p = a[base + c], q = b[base + c];
    const uchar4 m = mask[base + c];
    uchar4 h;
    h.x = (p.x > q.x) && m.x;
    h.y = (p.y > q.y) && m.y;
    h.z = (p.z > q.z) && m.z;
    h.w = (p.w > q.w) && m.w;
    hit[base + c] = h;
    const unsigned bits = h.x | (h.y << 1) | (h.z << 2) | (h.w << 3);
    found += __popc(bits);
  }
  found = warp_sum(found);
  if (lane == 0) count[row] = found;
}

std::vector<torch::Tensor> mask_logic(torch::Tensor a, torch::Tensor b, torch::Tensor mask) {
  TORCH_CHECK(mask.scalar_type() == torch::kBool, "mask must be bool");
  const int rows = a.size(0), cols = a.size(1);
  TORCH_CHECK(cols % 4 == 0, "cols must be a multiple of 4");
  auto hit = torch::empty_like(mask);
  auto count = torch::empty({rows}, mask.options().dtype(torch::kLong));
  mask_logic_kernel<<<(rows + kWarpsPerBlock - 1) / kWarpsPerBlock, kWarpsPerBlock * kWarpSize, 0,
                      at::cuda::getCurrentCUDAStream()>>>(
      reinterpret_cast<const float4*>(a.data_ptr<float>()), reinterpret_cast<const float4*>(b.data_ptr<float>()),
      reinterpret_cast<const uchar4*>(mask.data_ptr<bool>()), reinterpret_cast<uchar4*>(hit.data_ptr<bool>()),
      count.data_ptr<int64_t>(), rows, cols / 4);
  return {hit, count};
}
"""

ops = load_inline(
    name="mask_logic_uchar4",
    cpp_sources="std::vector<torch::Tensor> mask_logic(torch::Tensor a, torch::Tensor b, torch::Tensor mask);",
    cuda_sources=cuda_source,
    functions=["mask_logic"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b, mask):
        hit, count = ops.mask_logic(a.contiguous(), b.contiguous(), mask.contiguous())
        return hit, count
