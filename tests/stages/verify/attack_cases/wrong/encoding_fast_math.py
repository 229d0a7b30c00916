# task: positional_encoding
# expect: refused
# why: Built with -use_fast_math, so sinf and cosf are __sinf and __cosf, which reduce their argument in single
#      precision: for the high levels the arguments reach 2^15 * x (up to 32768) and the absolute error is about
#      1e-3, more than ten times the tolerance of 1e-4. The task's own inputs show it in levels 11 to 15.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void encode_kernel(const float* __restrict__ x, float* __restrict__ y, int points, int dims, int levels) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points * dims) return;
    const int point = i / dims, d = i % dims;
    const float v = x[i];
    float* out = y + (size_t)point * dims * levels * 2 + d;
    float scale = 1.0f;
    for (int k = 0; k < levels; ++k) {
        out[(2 * k) * dims] = sinf(v * scale);
        out[(2 * k + 1) * dims] = cosf(v * scale);
        scale *= 2.0f;
    }
}

torch::Tensor encode(torch::Tensor x, int64_t levels) {
    const int points = x.size(0), dims = x.size(1);
    auto y = torch::empty({points, dims * levels * 2}, x.options());
    encode_kernel<<<(points * dims + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), points, dims, (int)levels);
    return y;
}
"""

cpp_source = """
torch::Tensor encode(torch::Tensor x, int64_t levels);
"""

ops = load_inline(
    name="encoding_fast_math",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["encode"],
    extra_cuda_cflags=["-O3", "-use_fast_math"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self, levels):
        super().__init__()
        self.levels = levels

    def forward(self, x):
        return ops.encode(x, self.levels)
