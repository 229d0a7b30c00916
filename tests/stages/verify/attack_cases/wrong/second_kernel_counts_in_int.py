# task: rms_norm_huge
# expect: refused
# why: The kernel of the statistics has 64-bit offsets, the second one, which scales, has `int i`: of the task's
#      own 4294967296 elements, those from 2^31 on have a negative i, for which i < total holds, and x[i] lies
#      before the tensor. It takes all three sizes together.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void row_scales(const float* __restrict__ x, float* __restrict__ scale, int hidden, float eps) {
    __shared__ float parts[8];
    const float* row = x + (size_t)blockIdx.x * hidden;
    float sum = 0.f;
    for (int c = threadIdx.x; c < hidden; c += 256) sum += row[c] * row[c];
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) sum += parts[w];
        scale[blockIdx.x] = rsqrtf(sum / hidden + eps);
    }
}

__global__ void apply(const float* __restrict__ x, const float* __restrict__ scale, float* __restrict__ y,
                      long long total, int hidden) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < total) y[i] = x[i] * scale[i / hidden];
}

torch::Tensor rms_norm(torch::Tensor x, double eps) {
    auto y = torch::empty_like(x);
    const int hidden = x.size(-1), rows = x.numel() / hidden;
    auto scale = torch::empty({rows}, x.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    row_scales<<<rows, 256, 0, stream>>>(x.data_ptr<float>(), scale.data_ptr<float>(), hidden, (float)eps);
    const long long total = x.numel();
    apply<<<(unsigned)((total + 255) / 256), 256, 0, stream>>>(x.data_ptr<float>(), scale.data_ptr<float>(),
                                                               y.data_ptr<float>(), total, hidden);
    return y;
}
"""

cpp_source = """
torch::Tensor rms_norm(torch::Tensor x, double eps);
"""

ext = load_inline(
    name="second_kernel_counts_in_int_13",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["rms_norm"],
)


class ModelNew(nn.Module):
    def __init__(self, eps):
        super().__init__()
        self.eps = eps

    def forward(self, x):
        return ext.rms_norm(x.contiguous(), self.eps)
