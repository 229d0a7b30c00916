# task: cross_entropy_vw
# expect: correct
# why: one block per row; the last block to finish adds the losses in a fixed order. The ticket wraps by
# atomicInc, with a fence before it, and the losses are read past the first cache.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
struct Running {
    float top, sum;  // The largest logit so far, and the exponentials below it.
};

__device__ __forceinline__ Running merge(Running a, Running b) {
    const float top = fmaxf(a.top, b.top);
    if (top == -INFINITY) return {top, 0.0f};
    return {top, a.sum * expf(a.top - top) + b.sum * expf(b.top - top)};
}

__device__ __forceinline__ Running warp_merge(Running r) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        Running other{__shfl_xor_sync(0xffffffffu, r.top, o), __shfl_xor_sync(0xffffffffu, r.sum, o)};
        r = merge(r, other);
    }
    return r;
}

__device__ unsigned int finished = 0;

template <int kThreads>
__global__ void __launch_bounds__(kThreads)
loss_kernel(const float* __restrict__ logits, const int64_t* __restrict__ labels, float* losses,
            float* __restrict__ out, int classes) {
    constexpr int kWarps = kThreads / 32;
    __shared__ Running parts[kWarps];
    __shared__ bool last;
    const float* row = logits + (size_t)blockIdx.x * classes;
    Running r{-INFINITY, 0.0f};
    for (int c = threadIdx.x; c < classes; c += kThreads) r = merge(r, Running{row[c], 1.0f});
    r = warp_merge(r);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = r;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < kWarps; ++w) r = merge(r, parts[w]);
        losses[blockIdx.x] = logf(r.sum) + r.top - row[labels[blockIdx.x]];
        __threadfence();
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last) return;
    float total = 0.0f;
    for (int i = threadIdx.x; i < gridDim.x; i += kThreads) total += __ldcg(&losses[i]);
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) total += __shfl_down_sync(0xffffffffu, total, o);
    __shared__ float sums[kWarps];
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = total;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < kWarps; ++w) total += sums[w];
        out[0] = total / (float)gridDim.x;
    }
}

torch::Tensor cross_entropy(torch::Tensor logits, torch::Tensor labels) {
    logits = logits.contiguous();
    labels = labels.contiguous();
    const int batch = logits.size(0), classes = logits.size(1);
    auto losses = torch::empty({batch}, logits.options());
    auto out = torch::empty({}, logits.options());
    loss_kernel<256><<<batch, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        logits.data_ptr<float>(), labels.data_ptr<int64_t>(), losses.data_ptr<float>(),
        out.data_ptr<float>(), classes);
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(name="w7h_w_cross_entropy_last_block", cpp_sources="torch::Tensor cross_entropy(torch::Tensor logits, torch::Tensor labels);",
                  cuda_sources=cuda_src, functions=["cross_entropy"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logits, labels):
        return ext.cross_entropy(logits, labels)
