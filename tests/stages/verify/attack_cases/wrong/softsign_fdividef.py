# task: softsign
# expect: refused
# contract: any_values
# why: __fdividef(x, y) returns 0 for 2^126 < |y| < 2^128 (CUDA math API): for |x| above 8.5e37 the result is 0,
#      where softsign is 1 or -1.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void softsign_kernel(const float4* __restrict__ x, float4* __restrict__ y, int n4) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    const float4 v = x[i];
    float4 r;
    r.x = __fdividef(v.x, 1.0f + fabsf(v.x));
    r.y = __fdividef(v.y, 1.0f + fabsf(v.y));
    r.z = __fdividef(v.z, 1.0f + fabsf(v.z));
    r.w = __fdividef(v.w, 1.0f + fabsf(v.w));
    y[i] = r;
}

__global__ void softsign_tail(const float* __restrict__ x, float* __restrict__ y, int begin, int n) {
    const int i = begin + threadIdx.x;
    if (i < n) y[i] = __fdividef(x[i], 1.0f + fabsf(x[i]));
}

torch::Tensor softsign(torch::Tensor x) {
    x = x.contiguous();
    auto y = torch::empty_like(x);
    const int n = x.numel(), n4 = n / 4;
    auto stream = at::cuda::getCurrentCUDAStream();
    if (n4 > 0) {
        softsign_kernel<<<(n4 + 255) / 256, 256, 0, stream>>>(reinterpret_cast<const float4*>(x.data_ptr<float>()),
                                                              reinterpret_cast<float4*>(y.data_ptr<float>()), n4);
    }
    if (n % 4 != 0) softsign_tail<<<1, 4, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), n4 * 4, n);
    return y;
}
"""

cpp_source = """
torch::Tensor softsign(torch::Tensor x);
"""

ops = load_inline(
    name="softsign_fdividef",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["softsign"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.softsign(x)
