# task: ../../tasks/masked_softmax
# expect: correct
# why: the mask is expanded to the scores' shape as a view and read by its strides (0 along queries); a warp for each row, values kept in registers.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

masked_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

struct MaskView {
  const bool* data;
  int64_t batch, query, key;   // strides
};

template <int PER_LANE>
__global__ void masked_softmax_kernel(const float* __restrict__ scores, MaskView mask,
                                      float* __restrict__ out, int rows, int queries, int keys) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const bool* m = mask.data + (row / queries) * mask.batch + (row % queries) * mask.query;
  const float* s = scores + (size_t)row * keys;

  float v[PER_LANE];
  float top = -INFINITY;
#pragma unroll
  for (int i = 0; i < PER_LANE; ++i) {
    const int k = lane + 32 * i;
    v[i] = -INFINITY;
    if (k < keys) v[i] = m[k * mask.key] ? -1e9f : s[k];
    top = fmaxf(top, v[i]);
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, o));

  float sum = 0.f;
#pragma unroll
  for (int i = 0; i < PER_LANE; ++i) {
    v[i] = expf(v[i] - top);          // padding: exp(-inf) = 0
    sum += v[i];
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);

  const float inv = 1.f / sum;
#pragma unroll
  for (int i = 0; i < PER_LANE; ++i) {
    const int k = lane + 32 * i;
    if (k < keys) out[(size_t)row * keys + k] = v[i] * inv;
  }
}

torch::Tensor masked_softmax(torch::Tensor scores, torch::Tensor mask) {
  TORCH_CHECK(scores.dim() == 3 && mask.scalar_type() == torch::kBool);
  scores = scores.contiguous();
  const auto wide = mask.expand(scores.sizes());
  const int queries = scores.size(1), keys = scores.size(2);
  const int rows = scores.size(0) * queries;
  auto out = torch::empty_like(scores);
  const MaskView view{wide.data_ptr<bool>(), wide.stride(0), wide.stride(1), wide.stride(2)};
  auto stream = at::cuda::getCurrentCUDAStream();
  const int blocks = (rows + 3) / 4;
  const float* s = scores.data_ptr<float>();
  float* o = out.data_ptr<float>();
  if (keys <= 32) masked_softmax_kernel<1><<<blocks, 128, 0, stream>>>(s, view, o, rows, queries, keys);
  else if (keys <= 128) masked_softmax_kernel<4><<<blocks, 128, 0, stream>>>(s, view, o, rows, queries, keys);
  else if (keys <= 1024) masked_softmax_kernel<32><<<blocks, 128, 0, stream>>>(s, view, o, rows, queries, keys);
  else TORCH_CHECK(false, "more than 1024 keys");
  return out;
}
"""

ms = load_inline(
    name="masked_softmax_strided_mask",
    cpp_sources="torch::Tensor masked_softmax(torch::Tensor scores, torch::Tensor mask);",
    cuda_sources=masked_source,
    functions=["masked_softmax"],
)


class ModelNew(nn.Module):
    def forward(self, scores, mask):
        return ms.masked_softmax(scores, mask)
