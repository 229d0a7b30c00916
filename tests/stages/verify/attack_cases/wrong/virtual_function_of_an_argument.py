# task: activation_by_name
# expect: refused
# why: The kernel gets objects with virtual functions by value and calls them through a reference to their base
#      class: their tables of functions were set on the host and lie in host memory, which a kernel cannot read
#      (CUDA forbids such arguments): illegal memory access on every call.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

struct Activation {
    __host__ __device__ virtual float operator()(float x) const = 0;
};
struct Tanh : Activation {
    __host__ __device__ float operator()(float x) const override { return tanhf(x); }
};
struct Relu : Activation {
    __host__ __device__ float operator()(float x) const override { return x > 0.f ? x : 0.f; }
};
struct Activations {
    Tanh tanh;
    Relu relu;
};

__global__ void activate(const float* __restrict__ x, float* __restrict__ y, int n, Activations all, int which, float scale) {
    const Activation& f = which == 0 ? static_cast<const Activation&>(all.tanh) : static_cast<const Activation&>(all.relu);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = f(x[i]) * scale;
}

torch::Tensor activation(torch::Tensor x, int64_t which, double scale) {
    auto y = torch::empty_like(x);
    const int n = x.numel();
    activate<<<(n + 1023) / 1024, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), n,
                                                                             Activations(), (int)which, (float)scale);
    return y;
}
"""

cpp_source = """
torch::Tensor activation(torch::Tensor x, int64_t which, double scale);
"""

ext = load_inline(
    name="virtual_function_of_an_argument_24",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["activation"],
)


class ModelNew(nn.Module):
    def __init__(self, name, scale):
        super().__init__()
        self.which, self.scale = (0 if name == "tanh" else 1), scale

    def forward(self, x):
        return ext.activation(x.contiguous(), self.which, self.scale)
