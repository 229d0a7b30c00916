# task: hardshrink
# expect: refused
# contract: any_values
# why: Keeps x where |x| >= lambd; hardshrink keeps it only where |x| > lambd. For elements equal to 0.3f or -0.3f
#      (the bound itself, which clipped data holds) the output is 0.3 or -0.3 instead of 0.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void hardshrink_kernel(const float* __restrict__ x, float* __restrict__ y, float lambd, int n) {
    const int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const float v = x[i];
        y[i] = fabsf(v) >= lambd ? v : 0.0f;
    }
}

torch::Tensor hardshrink(torch::Tensor x, double lambd) {
    auto y = torch::empty_like(x);
    const int n = x.numel();
    hardshrink_kernel<<<std::min((n + 255) / 256, 1024), 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), (float)lambd, n);
    return y;
}
"""

cpp_source = """
torch::Tensor hardshrink(torch::Tensor x, double lambd);
"""

ops = load_inline(
    name="hardshrink_boundary",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["hardshrink"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self, lambd):
        super().__init__()
        self.lambd = lambd

    def forward(self, x):
        return ops.hardshrink(x, self.lambd)
