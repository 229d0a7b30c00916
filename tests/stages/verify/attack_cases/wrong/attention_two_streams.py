# task: ../../tasks/attention
# expect: refused
# why: the score/softmax kernel runs on one pool stream and the product with V on another, and no event orders them (only the current stream waits
# at the end): the second kernel may read probabilities that are not written. A race on any size.
import math

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

attention_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDACachingAllocator.h>

// one warp for each query: scores and softmax
__global__ void probs_kernel(const float* __restrict__ q, const float* __restrict__ k,
                             float* __restrict__ p, int L, int D, float scale, int queries) {
  const int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (w >= queries) return;
  const int bh = w / L;
  const float* qi = q + (size_t)w * D;
  const float* kb = k + (size_t)bh * L * D;
  float* pi = p + (size_t)w * L;

  float m = -INFINITY;
  for (int j = lane; j < L; j += 32) {
    float s = 0.f;
    for (int d = 0; d < D; ++d) s += qi[d] * kb[j * D + d];
    s *= scale;
    pi[j] = s;
    m = fmaxf(m, s);
  }
  for (int o = 16; o > 0; o /= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
  float sum = 0.f;
  for (int j = lane; j < L; j += 32) {
    const float e = expf(pi[j] - m);
    pi[j] = e;
    sum += e;
  }
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffff, sum, o);
  for (int j = lane; j < L; j += 32) pi[j] /= sum;
}

__global__ void pv_kernel(const float* __restrict__ p, const float* __restrict__ v,
                          float* __restrict__ out, int L, int D, int total) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= total) return;
  const int d = t % D;
  const int row = t / D;
  const int bh = row / L;
  float acc = 0.f;
  for (int j = 0; j < L; ++j) acc += p[(size_t)row * L + j] * v[((size_t)bh * L + j) * D + d];
  out[t] = acc;
}

torch::Tensor attention(torch::Tensor q, torch::Tensor k, torch::Tensor v) {
  q = q.contiguous(); k = k.contiguous(); v = v.contiguous();
  const int B = q.size(0), H = q.size(1), L = q.size(2), D = q.size(3);
  auto out = torch::empty_like(q);
  auto p = torch::empty({B, H, L, L}, q.options());

  auto main_stream = at::cuda::getCurrentCUDAStream();
  auto first = at::cuda::getStreamFromPool();
  auto second = at::cuda::getStreamFromPool();

  at::cuda::CUDAEvent ready, done;
  ready.record(main_stream);       // the inputs are ready
  ready.block(first);
  ready.block(second);

  const int queries = B * H * L;
  probs_kernel<<<(queries * 32 + 127) / 128, 128, 0, first>>>(
      q.data_ptr<float>(), k.data_ptr<float>(), p.data_ptr<float>(), L, D, 1.f / sqrtf((float)D),
      queries);
  const int total = queries * D;
  pv_kernel<<<(total + 127) / 128, 128, 0, second>>>(
      p.data_ptr<float>(), v.data_ptr<float>(), out.data_ptr<float>(), L, D, total);

  done.record(second);
  done.block(main_stream);
  for (auto& t : {q, k, v, p, out}) {
    c10::cuda::CUDACachingAllocator::recordStream(t.storage().data_ptr(), first);
    c10::cuda::CUDACachingAllocator::recordStream(t.storage().data_ptr(), second);
  }
  return out;
}
"""

attn = load_inline(
    name="attention_two_streams",
    cpp_sources="torch::Tensor attention(torch::Tensor q, torch::Tensor k, torch::Tensor v);",
    cuda_sources=attention_source,
    functions=["attention"],
)


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        return attn.attention(q, k, v)
