# task: gelu_written_out
# expect: refused
# why: x^3 is computed with __powf(x, 3.0f), which is exp2f(y * __log2f(x)): for every negative x (half of the
#      inputs) __log2f is NaN, and so is the output. (Only an exact powf gives x^3 there.)
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void gelu_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
    const int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const float v = x[i];
        const float inner = 0.7978845608028654f * (v + 0.044715f * __powf(v, 3.0f));
        y[i] = 0.5f * v * (1.0f + tanhf(inner));
    }
}

torch::Tensor gelu_forward(torch::Tensor x) {
    auto y = torch::empty_like(x);
    const int n = x.numel();
    gelu_kernel<<<std::min((n + 255) / 256, 2048), 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
"""

cpp_source = """
torch::Tensor gelu_forward(torch::Tensor x);
"""

ops = load_inline(
    name="gelu_fast_pow",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["gelu_forward"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.gelu_forward(x)
