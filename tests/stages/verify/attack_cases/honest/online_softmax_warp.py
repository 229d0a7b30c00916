# task: ../../tasks/attention
# expect: correct
# why: a warp for each query, an online softmax in each lane, states merged by shuffles; the head's size is dispatched by integral constants.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <cmath>
#include <type_traits>

template <int kDim>
__global__ void attention_kernel(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                                 float* __restrict__ out, int heads, int length, float scale) {
    static_assert(kDim % 4 == 0, "float4");
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= heads * length) return;
    const int head = warp / length;
    const size_t base = static_cast<size_t>(head) * length * kDim;
    float query[kDim], sum[kDim];
#pragma unroll
    for (int d = 0; d < kDim; ++d) {
        query[d] = q[static_cast<size_t>(warp) * kDim + d];
        sum[d] = 0.0f;
    }
    float m = -INFINITY, l = 0.0f;
    for (int j = lane; j < length; j += 32) {
        const float* key = k + base + static_cast<size_t>(j) * kDim;
        const float* value = v + base + static_cast<size_t>(j) * kDim;
        float s = 0.0f;
#pragma unroll
        for (int d = 0; d < kDim; ++d) s = fmaf(query[d], __ldg(key + d), s);
        s *= scale;
        const float higher = fmaxf(m, s);
        const float kept = m == -INFINITY ? 0.0f : expf(m - higher), added = expf(s - higher);
        l = l * kept + added;
#pragma unroll
        for (int d = 0; d < kDim; ++d) sum[d] = fmaf(sum[d], kept, added * __ldg(value + d));
        m = higher;
    }
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        const float other = __shfl_xor_sync(0xffffffffu, m, o), higher = fmaxf(m, other);
        const float own = m == -INFINITY ? 0.0f : expf(m - higher);
        const float theirs = other == -INFINITY ? 0.0f : expf(other - higher);
        l = l * own + __shfl_xor_sync(0xffffffffu, l, o) * theirs;
#pragma unroll
        for (int d = 0; d < kDim; ++d) sum[d] = sum[d] * own + __shfl_xor_sync(0xffffffffu, sum[d], o) * theirs;
        m = higher;
    }
    if (lane == 0) {
#pragma unroll
        for (int d = 0; d < kDim; ++d) out[static_cast<size_t>(warp) * kDim + d] = sum[d] / l;
    }
}

template <typename Body>
void for_head_dim(int64_t dim, Body&& body) {
    switch (dim) {
        case 8: return body(std::integral_constant<int, 8>{});
        case 16: return body(std::integral_constant<int, 16>{});
        case 32: return body(std::integral_constant<int, 32>{});
        case 64: return body(std::integral_constant<int, 64>{});
        default: TORCH_CHECK(false, "no kernel for heads of ", dim);
    }
}

torch::Tensor attention(torch::Tensor q, torch::Tensor k, torch::Tensor v) {
    TORCH_CHECK(q.dim() == 4 && q.sizes() == k.sizes() && q.sizes() == v.sizes(), "q, k and v of the same sizes");
    q = q.contiguous();
    k = k.contiguous();
    v = v.contiguous();
    auto out = torch::empty_like(q);
    const int heads = q.size(0) * q.size(1), length = q.size(2);
    const float scale = 1.0f / std::sqrt(static_cast<float>(q.size(3)));
    const int blocks = (heads * length + 3) / 4;
    for_head_dim(q.size(3), [&](auto dim) {
        constexpr int kDim = decltype(dim)::value;
        attention_kernel<kDim><<<blocks, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
            q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(), out.data_ptr<float>(), heads, length, scale);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return out;
}
"""

ext = load_inline(name="w8_online_softmax_warp", cpp_sources='torch::Tensor attention(torch::Tensor q, torch::Tensor k, torch::Tensor v);',
                  cuda_sources=cuda_src, functions=['attention'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k, v):
        return ext.attention(q, k, v)
