# task: attention_half
# expect: correct
# why: style: a warp a query, each lane two elements as __half2, float32 scores by shuffles, lanes score keys in
#      groups of 32 before one rescaling of the online softmax; __shfl_sync spreads the weights.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

attention_cuda = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cuda_fp16.h>
#include <cmath>

#define FULL 0xffffffffu

constexpr int kDim = 64;
constexpr int kPairs = kDim / 2;
constexpr int kWarps = 4;

__device__ __forceinline__ float warp_sum(float v) {
    for (int m = 16; m > 0; m >>= 1) v += __shfl_xor_sync(FULL, v, m);
    return v;
}

__device__ __forceinline__ float warp_max(float v) {
    for (int m = 16; m > 0; m >>= 1) v = fmaxf(v, __shfl_xor_sync(FULL, v, m));
    return v;
}

__global__ void attention_kernel(const __half2* __restrict__ q, const __half2* __restrict__ k,
                                 const __half2* __restrict__ v, __half2* __restrict__ out, int queries, int keys,
                                 float scale) {
    __shared__ float2 shared_q[kWarps][kPairs];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    const int query = blockIdx.x * kWarps + warp;
    const int head = blockIdx.y;
    if (query >= queries) return;  // a whole warp; there is no barrier of the block

    const size_t at = ((size_t)head * queries + query) * kPairs + lane;
    shared_q[warp][lane] = __half22float2(q[at]);
    __syncwarp();

    const __half2* head_k = k + (size_t)head * keys * kPairs;
    const __half2* head_v = v + (size_t)head * keys * kPairs;
    float top = -INFINITY, sum = 0.0f;
    float2 acc = make_float2(0.0f, 0.0f);

    for (int base = 0; base < keys; base += 32) {
        const int key = base + lane;
        float score = -INFINITY;
        if (key < keys) {
            float dot = 0.0f;
            #pragma unroll 8
            for (int p = 0; p < kPairs; ++p) {
                const float2 kv = __half22float2(head_k[(size_t)key * kPairs + p]);
                const float2 qv = shared_q[warp][p];
                dot = fmaf(qv.x, kv.x, dot);
                dot = fmaf(qv.y, kv.y, dot);
            }
            score = dot * scale;
        }
        const float next = fmaxf(top, warp_max(score));  // finite: the group has a key
        const float keep = expf(top - next);
        const float weight = key < keys ? expf(score - next) : 0.0f;
        sum = sum * keep + warp_sum(weight);
        acc.x *= keep;
        acc.y *= keep;
        const int count = min(32, keys - base);
        for (int j = 0; j < count; ++j) {
            const float w = __shfl_sync(FULL, weight, j);
            const float2 value = __half22float2(head_v[(size_t)(base + j) * kPairs + lane]);
            acc.x = fmaf(w, value.x, acc.x);
            acc.y = fmaf(w, value.y, acc.y);
        }
        top = next;
    }
    out[at] = __floats2half2_rn(acc.x / sum, acc.y / sum);
}

torch::Tensor attention(torch::Tensor q, torch::Tensor k, torch::Tensor v, double scale) {
    TORCH_CHECK(q.size(3) == kDim && k.size(3) == kDim && v.size(3) == kDim, "the head size must be ", kDim);
    TORCH_CHECK(q.scalar_type() == torch::kHalf && k.scalar_type() == torch::kHalf && v.scalar_type() == torch::kHalf);
    TORCH_CHECK(q.is_contiguous() && k.is_contiguous() && v.is_contiguous());
    auto out = torch::empty_like(q);
    const int heads = q.size(0) * q.size(1), queries = q.size(2), keys = k.size(2);
    const dim3 grid((queries + kWarps - 1) / kWarps, heads);
    attention_kernel<<<grid, 32 * kWarps, 0, at::cuda::getCurrentCUDAStream()>>>(
        reinterpret_cast<const __half2*>(q.data_ptr<at::Half>()), reinterpret_cast<const __half2*>(k.data_ptr<at::Half>()),
        reinterpret_cast<const __half2*>(v.data_ptr<at::Half>()), reinterpret_cast<__half2*>(out.data_ptr<at::Half>()),
        queries, keys, (float)scale);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

attention_cpp = "torch::Tensor attention(torch::Tensor q, torch::Tensor k, torch::Tensor v, double scale);"


class ModelNew(nn.Module):
    def __init__(self, head_dim):
        super().__init__()
        self.scale = head_dim**-0.5
        self.attention = load_inline(
            name="attention_half_warp_queries",
            cpp_sources=attention_cpp,
            cuda_sources=attention_cuda,
            functions=["attention"],
            verbose=False,
        ).attention

    def forward(self, q, k, v):
        q, k, v = (t.contiguous() for t in (q, k, v))
        return self.attention(q, k, v, self.scale)
