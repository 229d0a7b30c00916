# task: attention_v
# expect: correct
# why: Attention with an online softmax: a warp for each query, keys and values staged in dynamic shared memory, opted in
# by cudaFuncSetAttribute where they need more than 48 KiB. The lanes split the depth, by a template's number of parts.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
#include <cmath>

constexpr int kWarps = 4, kKeys = 32;
constexpr unsigned kAll = 0xffffffffu;

// Each lane has up to `kParts` elements of a query's depth: lane, lane + 32 and so on.
template <int kParts>
__global__ void attention_kernel(const float* __restrict__ q, const float* __restrict__ k,
                                 const float* __restrict__ v, float* __restrict__ out, int queries,
                                 int keys, int depth, float scale) {
  extern __shared__ float staged[];
  float* const staged_k = staged;
  float* const staged_v = staged + kKeys * depth;
  const int lane = threadIdx.x, warp = threadIdx.y;
  const int query = blockIdx.x * kWarps + warp;
  const size_t head = blockIdx.y;
  const float* k_head = k + head * keys * depth;
  const float* v_head = v + head * keys * depth;
  const bool active = query < queries;

  float own[kParts], sum[kParts];
#pragma unroll
  for (int p = 0; p < kParts; ++p) {
    const int d = lane + 32 * p;
    own[p] = active && d < depth ? q[(head * queries + query) * depth + d] * scale : 0.0f;
    sum[p] = 0.0f;
  }
  float largest = -INFINITY, total = 0.0f;

  for (int first = 0; first < keys; first += kKeys) {
    const int count = min(kKeys, keys - first);
    for (int i = warp * 32 + lane; i < count * depth; i += kWarps * 32) {
      staged_k[i] = k_head[static_cast<size_t>(first) * depth + i];
      staged_v[i] = v_head[static_cast<size_t>(first) * depth + i];
    }
    __syncthreads();
    for (int j = 0; j < count; ++j) {
      float score = 0.0f;
#pragma unroll
      for (int p = 0; p < kParts; ++p) {
        const int d = lane + 32 * p;
        if (d < depth) score = fmaf(own[p], staged_k[j * depth + d], score);
      }
#pragma unroll
      for (int offset = 16; offset > 0; offset >>= 1) score += __shfl_xor_sync(kAll, score, offset);
      const float higher = fmaxf(largest, score);
      const float shrink = expf(largest - higher), weight = expf(score - higher);
      total = total * shrink + weight;
#pragma unroll
      for (int p = 0; p < kParts; ++p) {
        const int d = lane + 32 * p;
        if (d < depth) sum[p] = fmaf(weight, staged_v[j * depth + d], sum[p] * shrink);
      }
      largest = higher;
    }
    __syncthreads();
  }

  if (!active) return;
#pragma unroll
  for (int p = 0; p < kParts; ++p) {
    const int d = lane + 32 * p;
    if (d < depth) out[(head * queries + query) * depth + d] = sum[p] / total;
  }
}

template <int kParts>
void launch(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v, torch::Tensor& out) {
  const int heads = q.size(0) * q.size(1), queries = q.size(2), keys = k.size(2), depth = q.size(3);
  const size_t shared = 2 * sizeof(float) * kKeys * depth;
  if (shared > 48 * 1024) {
    cudaFuncSetAttribute(attention_kernel<kParts>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         static_cast<int>(shared));
  }
  attention_kernel<kParts><<<dim3((queries + kWarps - 1) / kWarps, heads), dim3(32, kWarps), shared,
                             at::cuda::getCurrentCUDAStream()>>>(
      q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(), out.data_ptr<float>(), queries,
      keys, depth, 1.0f / std::sqrt(static_cast<float>(depth)));
}

torch::Tensor attention(torch::Tensor q_in, torch::Tensor k_in, torch::Tensor v_in) {
  auto q = q_in.contiguous();
  auto k = k_in.contiguous();
  auto v = v_in.contiguous();
  const int64_t depth = q.size(3);
  TORCH_CHECK(depth <= 256, "at most 256 elements of depth");
  TORCH_CHECK(k.size(3) == depth && v.sizes() == k.sizes(), "shapes do not match");
  auto out = torch::empty_like(q);
  if (q.numel() == 0) return out;
  if (depth <= 32) {
    launch<1>(q, k, v, out);
  } else if (depth <= 64) {
    launch<2>(q, k, v, out);
  } else if (depth <= 128) {
    launch<4>(q, k, v, out);
  } else {
    launch<8>(q, k, v, out);
  }
  return out;
}
"""

ops = load_inline(
    name="attention_online",
    cpp_sources="torch::Tensor attention(torch::Tensor q_in, torch::Tensor k_in, torch::Tensor v_in);",
    cuda_sources=cuda_source, functions=["attention"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k, v):
        return ops.attention(q, k, v)
