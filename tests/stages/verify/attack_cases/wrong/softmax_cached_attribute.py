# task: row_softmax_odd
# expect: refused
# why: A row of 16002 floats needs 64008 bytes of dynamic shared memory, which must be allowed for each kernel by
#      itself. The attribute is set for row_softmax<true>, but because 16002 is no multiple of 4 row_softmax<false>
#      is launched, which keeps its limit of 48 KiB: cudaErrorInvalidValue, no kernel runs, and the output is
#      uninitialised.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}
__device__ __forceinline__ float warp_max(float v) {
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}

template <bool kMax>
__device__ __forceinline__ float block_reduce(float v) {
    __shared__ float part[8];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = kMax ? warp_max(v) : warp_sum(v);
    if (lane == 0) part[warp] = v;
    __syncthreads();
    v = part[lane & 7];
    for (int o = 4; o > 0; o >>= 1) {
        const float other = __shfl_xor_sync(0xffffffffu, v, o);
        v = kMax ? fmaxf(v, other) : v + other;
    }
    __syncthreads();
    return v;
}

// Keeps the row in shared memory, so that it is read once.
template <bool kVector>
__global__ void row_softmax(const float* __restrict__ x, float* __restrict__ y, int cols) {
    extern __shared__ float4 cache4[];
    float* cache = reinterpret_cast<float*>(cache4);
    const float* p = x + (size_t)blockIdx.x * cols;
    float* q = y + (size_t)blockIdx.x * cols;
    float m = -INFINITY;
    if (kVector) {
        for (int c = threadIdx.x; c < cols / 4; c += blockDim.x) {
            const float4 v = reinterpret_cast<const float4*>(p)[c];
            cache4[c] = v;
            m = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
        }
    } else {
        for (int c = threadIdx.x; c < cols; c += blockDim.x) {
            cache[c] = p[c];
            m = fmaxf(m, cache[c]);
        }
    }
    m = block_reduce<true>(m);
    float s = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        const float e = expf(cache[c] - m);
        cache[c] = e;
        s += e;
    }
    s = block_reduce<false>(s);
    const float inv = 1.0f / s;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) q[c] = cache[c] * inv;
}

torch::Tensor softmax_rows(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1);
    auto y = torch::empty_like(x);
    auto stream = at::cuda::getCurrentCUDAStream();
    const size_t shared = (size_t)cols * sizeof(float);
    if (shared > 48 * 1024) {
        cudaFuncSetAttribute(row_softmax<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    }
    if (cols % 4 == 0) {
        row_softmax<true><<<rows, 256, shared, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), cols);
    } else {
        row_softmax<false><<<rows, 256, shared, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), cols);
    }
    return y;
}
"""

cpp_source = """
torch::Tensor softmax_rows(torch::Tensor x);
"""

ops = load_inline(
    name="softmax_cached_attribute",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["softmax_rows"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.softmax_rows(x)
