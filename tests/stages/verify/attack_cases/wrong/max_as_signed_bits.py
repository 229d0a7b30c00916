# task: best_log_prob
# expect: refused
# why: atomicMax over the bits of a float read as int is right for positive values only; log-probabilities are negative, whose bits order the other
# way round, so among the chunks of steps the *smallest* of the partial maxima wins.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#define STEPS_PER_BLOCK 32

__device__ __forceinline__ void atomicMaxFloat(float* address, float value) {
  atomicMax(reinterpret_cast<int*>(address), __float_as_int(value));
}

// grid: (vocab / 128, chunks of steps, batch); neighbouring threads take neighbouring entries
__global__ void max_over_steps(const float* __restrict__ x, float* __restrict__ out, int steps,
                               int vocab) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vocab) return;
  const int b = blockIdx.z;
  const int begin = blockIdx.y * STEPS_PER_BLOCK;
  const int end = min(begin + STEPS_PER_BLOCK, steps);
  const float* p = x + ((size_t)b * steps + begin) * vocab + v;
  float best = -INFINITY;
  for (int s = begin; s < end; ++s, p += vocab) best = fmaxf(best, *p);
  atomicMaxFloat(out + (size_t)b * vocab + v, best);
}

__global__ void fill(float* out, float value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value;
}

torch::Tensor best_over_steps(torch::Tensor x) {
  x = x.contiguous();
  const int batch = x.size(0), steps = x.size(1), vocab = x.size(2);
  auto out = torch::empty({batch, vocab}, x.options());
  auto stream = at::cuda::getCurrentCUDAStream();
  const int n = batch * vocab;
  fill<<<(n + 255) / 256, 256, 0, stream>>>(out.data_ptr<float>(), -INFINITY, n);
  dim3 grid((vocab + 127) / 128, (steps + STEPS_PER_BLOCK - 1) / STEPS_PER_BLOCK, batch);
  max_over_steps<<<grid, 128, 0, stream>>>(x.data_ptr<float>(), out.data_ptr<float>(), steps, vocab);
  return out;
}
"""

ext = load_inline(name="max_as_signed_bits",
                  cpp_sources="torch::Tensor best_over_steps(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["best_over_steps"])


class ModelNew(nn.Module):
    def forward(self, log_probs):
        return ext.best_over_steps(log_probs)
