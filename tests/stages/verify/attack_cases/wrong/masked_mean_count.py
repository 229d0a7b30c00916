# task: masked_mean_long
# expect: refused
# why: Each thread counts its true elements in an unsigned char. A thread sees length / 256 = 512 elements of a
#      row, so the count wraps when more than 255 of them are true: for an all-true row every thread counts 512 mod
#      256 = 0, the clamped count is 1 and the 'mean' is the sum. The task's own masks are 10 % true (about 51 per
#      thread), which fits.
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

__global__ void masked_mean_kernel(const float* __restrict__ x, const bool* __restrict__ mask,
                                   float* __restrict__ out, int n) {
    __shared__ float sums[8];
    __shared__ int counts[8];
    const float* p = x + (size_t)blockIdx.x * n;
    const bool* q = mask + (size_t)blockIdx.x * n;
    float s = 0.0f;
    unsigned char hits = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (q[i]) {
            s += p[i];
            ++hits;
        }
    }
    int count = hits;
    for (int o = 16; o > 0; o >>= 1) count += __shfl_xor_sync(0xffffffffu, count, o);
    s = warp_sum(s);
    if ((threadIdx.x & 31) == 0) {
        sums[threadIdx.x >> 5] = s;
        counts[threadIdx.x >> 5] = count;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) { s += sums[w]; count += counts[w]; }
        out[blockIdx.x] = s / (float)max(count, 1);
    }
}

torch::Tensor masked_mean(torch::Tensor x, torch::Tensor mask) {
    const int rows = x.size(0), n = x.size(1);
    auto out = torch::empty({rows}, x.options());
    masked_mean_kernel<<<rows, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), mask.data_ptr<bool>(), out.data_ptr<float>(), n);
    return out;
}
"""

cpp_source = """
torch::Tensor masked_mean(torch::Tensor x, torch::Tensor mask);
"""

ops = load_inline(
    name="masked_mean_count",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["masked_mean"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, mask):
        return ops.masked_mean(x, mask)
