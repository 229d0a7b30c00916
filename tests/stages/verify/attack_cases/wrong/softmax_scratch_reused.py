# task: ../../tasks/softmax
# expect: refused
# why: block_reduce() hands its result back through scratch[0] and the next reduction writes scratch[] again with no barrier between: at dim 70
# (4 warps) a fast warp puts its sum in scratch[0] while a slow one has not read the maximum yet. A race that racecheck and a real GPU show.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cfloat>

struct MaxOp { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };
struct SumOp { __device__ float operator()(float a, float b) const { return a + b; } };

template <typename Op>
__device__ __forceinline__ float warp_reduce(float v, Op op) {
  #pragma unroll
  for (int o = 16; o > 0; o >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}

// Reduces over the whole block; every thread gets the result.
template <typename Op>
__device__ float block_reduce(float v, float* scratch, Op op, float identity) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  v = warp_reduce(v, op);
  if (lane == 0) scratch[warp] = v;
  __syncthreads();
  const int warps = blockDim.x >> 5;
  if (warp == 0) {
    float w = lane < warps ? scratch[lane] : identity;
    w = warp_reduce(w, op);
    if (lane == 0) scratch[0] = w;
  }
  __syncthreads();
  return scratch[0];
}

__global__ void softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int dim) {
  __shared__ float scratch[32];
  const float* row = x + (size_t)blockIdx.x * dim;
  float* out = y + (size_t)blockIdx.x * dim;

  float m = -FLT_MAX;
  for (int i = threadIdx.x; i < dim; i += blockDim.x) m = fmaxf(m, row[i]);
  m = block_reduce(m, scratch, MaxOp(), -FLT_MAX);

  float s = 0.f;
  for (int i = threadIdx.x; i < dim; i += blockDim.x) {
    const float e = __expf(row[i] - m);
    out[i] = e;
    s += e;
  }
  s = block_reduce(s, scratch, SumOp(), 0.f);

  const float inv = 1.f / s;
  for (int i = threadIdx.x; i < dim; i += blockDim.x) out[i] *= inv;
}

torch::Tensor softmax_forward(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 2, "expected a 2-D CUDA tensor");
  x = x.contiguous();
  auto y = torch::empty_like(x);
  softmax_kernel<<<x.size(0), 128, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), (int)x.size(1));
  return y;
}
"""

softmax_ext = load_inline(
    name="softmax_scratch_reused",
    cpp_sources="torch::Tensor softmax_forward(torch::Tensor x);",
    cuda_sources=cuda_src,
    functions=["softmax_forward"],
    extra_cuda_cflags=["-O3"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.op = softmax_ext

    def forward(self, x):
        return self.op.softmax_forward(x)
