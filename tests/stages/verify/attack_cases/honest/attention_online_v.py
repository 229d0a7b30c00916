# task: attention_vw
# expect: correct
# why: a warp for each query, two numbers of the head a lane, online softmax over tiles of keys in shared memory;
# all warps of a block load each tile together, also those whose query is past the end.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
constexpr int kWarps = 4;
constexpr int kKeys = 32;
constexpr int kDim = 64;

__global__ void __launch_bounds__(kWarps * 32)
attention_kernel(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                 float* __restrict__ out, int S, float scale) {
    __shared__ float sk[kKeys][kDim];
    __shared__ float sv[kKeys][kDim];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int query = blockIdx.x * kWarps + warp;
    const size_t head = (size_t)blockIdx.y * S * kDim;
    const bool valid = query < S;
    float2 mine = make_float2(0.0f, 0.0f);
    if (valid) {
        mine.x = q[head + (size_t)query * kDim + lane] * scale;
        mine.y = q[head + (size_t)query * kDim + lane + 32] * scale;
    }
    float top = -INFINITY, sum = 0.0f;
    float2 acc = make_float2(0.0f, 0.0f);
    const int end = min(S, (int)(blockIdx.x + 1) * kWarps);  // Keys that any query of the block sees.
    for (int first = 0; first < end; first += kKeys) {
        for (int i = threadIdx.x; i < kKeys * kDim; i += blockDim.x) {
            const int key = first + i / kDim;
            const bool inside = key < S;
            sk[i / kDim][i % kDim] = inside ? k[head + (size_t)key * kDim + i % kDim] : 0.0f;
            sv[i / kDim][i % kDim] = inside ? v[head + (size_t)key * kDim + i % kDim] : 0.0f;
        }
        __syncthreads();
        const int count = valid ? min(kKeys, query + 1 - first) : 0;  // May be negative: no key.
        for (int j = 0; j < count; ++j) {
            float s = mine.x * sk[j][lane] + mine.y * sk[j][lane + 32];
#pragma unroll
            for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
            const float next = fmaxf(top, s);
            const float keep = expf(top - next), p = expf(s - next);
            sum = sum * keep + p;
            acc.x = acc.x * keep + p * sv[j][lane];
            acc.y = acc.y * keep + p * sv[j][lane + 32];
            top = next;
        }
        __syncthreads();
    }
    if (valid) {
        out[head + (size_t)query * kDim + lane] = acc.x / sum;
        out[head + (size_t)query * kDim + lane + 32] = acc.y / sum;
    }
}

torch::Tensor attention(torch::Tensor q, torch::Tensor k, torch::Tensor v) {
    q = q.contiguous();
    k = k.contiguous();
    v = v.contiguous();
    const int B = q.size(0), H = q.size(1), S = q.size(2);
    TORCH_CHECK(q.size(3) == kDim, "heads of 64 numbers are expected");
    auto out = torch::empty_like(q);
    attention_kernel<<<dim3((S + kWarps - 1) / kWarps, B * H), kWarps * 32, 0,
                       at::cuda::getCurrentCUDAStream()>>>(
        q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(), out.data_ptr<float>(), S, 0.125f);
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(name="w7h_w_attention_online", cpp_sources="torch::Tensor attention(torch::Tensor q, torch::Tensor k, torch::Tensor v);",
                  cuda_sources=cuda_src, functions=["attention"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k, v):
        return ext.attention(q, k, v)
