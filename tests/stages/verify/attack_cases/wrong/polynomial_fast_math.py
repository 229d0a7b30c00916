# task: polynomial
# expect: refused
# why: Built with --use_fast_math, which turns powf into __powf = exp2f(y * __log2f(x)): NaN for every negative x,
#      whatever the exponent (also for k = 0). Half of the task's own inputs are negative, so half of the outputs
#      are NaN.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void polynomial_kernel(const float* __restrict__ x, const float* __restrict__ c, float* __restrict__ y,
                                  int terms, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = x[i];
    float sum = 0.0f;
    for (int k = 0; k < terms; ++k) sum += c[k] * powf(v, (float)k);
    y[i] = sum;
}

torch::Tensor polynomial(torch::Tensor x, torch::Tensor c) {
    auto y = torch::empty_like(x);
    const int n = x.numel();
    polynomial_kernel<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), c.data_ptr<float>(), y.data_ptr<float>(), (int)c.numel(), n);
    return y;
}
"""

cpp_source = """
torch::Tensor polynomial(torch::Tensor x, torch::Tensor c);
"""

ops = load_inline(
    name="polynomial_fast_math",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["polynomial"],
    extra_cuda_cflags=["-O3", "--use_fast_math"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self, coefficients):
        super().__init__()
        self.register_buffer("c", torch.tensor(coefficients))

    def forward(self, x):
        return ops.polynomial(x, self.c)
