# task: argmax_rows_h
# expect: correct
# why: style: a warp a row; floats mapped to ordered unsigned keys, __reduce_max_sync and __reduce_min_sync find
#      the maximum and its first index; int64 result.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

// Larger floats have larger keys. Adding zero makes -0 and 0 equal.
__device__ __forceinline__ unsigned ordered_key(float v) {
  const unsigned bits = __float_as_uint(v + 0.0f);
  return (bits & 0x80000000u) ? ~bits : (bits | 0x80000000u);
}

__global__ void argmax_kernel(const float* __restrict__ x, int64_t* __restrict__ out, int rows, int cols) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  const unsigned lane = threadIdx.x % warpSize;
  if (row >= rows) return;
  const float* in = x + static_cast<int64_t>(row) * cols;

  unsigned best = 0u;               // below the key of any number
  unsigned best_at = 0xffffffffu;
  for (unsigned c = lane; c < static_cast<unsigned>(cols); c += warpSize) {
    const unsigned key = ordered_key(in[c]);
    if (key > best) {
      best = key;
      best_at = c;
    }
  }
  const unsigned top = __reduce_max_sync(0xffffffffu, best);
  const unsigned at = __reduce_min_sync(0xffffffffu, best == top ? best_at : 0xffffffffu);
  if (lane == 0) out[row] = static_cast<int64_t>(at);
}

torch::Tensor argmax_rows(const torch::Tensor& x) {
  TORCH_CHECK(x.dim() == 2 && x.size(1) > 0, "argmax of an empty row");
  const auto in = x.contiguous();
  auto out = torch::empty({in.size(0)}, in.options().dtype(torch::kLong));
  const int rows = static_cast<int>(in.size(0));
  const int threads = 128;
  const int blocks = (rows * 32 + threads - 1) / threads;
  argmax_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
      in.data_ptr<float>(), out.data_ptr<int64_t>(), rows, static_cast<int>(in.size(1)));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

argmax_ext = load_inline(
    name="argmax_reduce_sync",
    cpp_sources="torch::Tensor argmax_rows(const torch::Tensor& x);",
    cuda_sources=cuda_src,
    functions=["argmax_rows"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return argmax_ext.argmax_rows(x)
