# task: instance_norm
# expect: refused
# contract: any_values
# why: The variance is E[x^2] - mean^2 in float32 without a clamp at 0. For a flat channel of large values (a
#      constant 1000.1, or 1000 plus a little noise) the difference is mostly rounding noise of about +-0.1: where
#      it is below -eps, rsqrtf gives NaN for the whole plane; where it is above, the result is scaled wrongly.
#      E.g. 1000 + 0.01 * randn has a variance of 1e-4, and torch's result has unit variance.
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

__global__ void instance_norm_kernel(const float* __restrict__ x, float* __restrict__ y, int plane, float eps) {
    __shared__ float s1[8], s2[8];
    const float* p = x + (size_t)blockIdx.x * plane;
    float* q = y + (size_t)blockIdx.x * plane;
    float s = 0.0f, ss = 0.0f;
    for (int i = threadIdx.x; i < plane; i += blockDim.x) {
        const float v = p[i];
        s += v;
        ss += v * v;
    }
    s = warp_sum(s);
    ss = warp_sum(ss);
    if ((threadIdx.x & 31) == 0) {
        s1[threadIdx.x >> 5] = s;
        s2[threadIdx.x >> 5] = ss;
    }
    __syncthreads();
    float total = 0.0f, squares = 0.0f;
    for (int w = 0; w < 8; ++w) {
        total += s1[w];
        squares += s2[w];
    }
    const float mean = total / plane;
    const float rstd = rsqrtf(squares / plane - mean * mean + eps);
    for (int i = threadIdx.x; i < plane; i += blockDim.x) q[i] = (p[i] - mean) * rstd;
}

torch::Tensor instance_norm(torch::Tensor x, double eps) {
    auto y = torch::empty_like(x);
    const int planes = x.size(0) * x.size(1), plane = x.size(2) * x.size(3);
    instance_norm_kernel<<<planes, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), plane, (float)eps);
    return y;
}
"""

cpp_source = """
torch::Tensor instance_norm(torch::Tensor x, double eps);
"""

ops = load_inline(
    name="instance_norm_moments",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["instance_norm"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.instance_norm(x, 1e-5)
