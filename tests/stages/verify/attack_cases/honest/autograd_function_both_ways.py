# task: squared_relu
# expect: correct
# why: style: torch.autograd.Function with forward and backward kernels from one header of device functions,
#      save_for_backward, vectorised by float4 with a scalar tail; the module only calls apply().
import torch
import torch.nn as nn
from torch.autograd import Function
from torch.utils.cpp_extension import load_inline

_cuda = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__device__ __forceinline__ float sq_relu(float v) { v = fmaxf(v, 0.0f); return v * v; }
__device__ __forceinline__ float sq_relu_grad(float g, float v) { return g * 2.0f * fmaxf(v, 0.0f); }

__global__ void sq_relu_fwd(const float* __restrict__ x, float* __restrict__ y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int n4 = n >> 2;
    if (i < n4) {
        float4 v = reinterpret_cast<const float4*>(x)[i];
        v.x = sq_relu(v.x); v.y = sq_relu(v.y); v.z = sq_relu(v.z); v.w = sq_relu(v.w);
        reinterpret_cast<float4*>(y)[i] = v;
    }
    // the last n % 4 elements
    const int tail = (n4 << 2) + i;
    if (i < (n & 3)) y[tail] = sq_relu(x[tail]);
}

__global__ void sq_relu_bwd(const float* __restrict__ g, const float* __restrict__ x, float* __restrict__ dx, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dx[i] = sq_relu_grad(g[i], x[i]);
}

torch::Tensor forward(torch::Tensor x) {
    auto y = torch::empty_like(x);
    const int n = x.numel();
    if (n == 0) return y;
    const int work = max(n / 4, 4);
    sq_relu_fwd<<<(work + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}

torch::Tensor backward(torch::Tensor grad, torch::Tensor x) {
    auto dx = torch::empty_like(x);
    const int n = x.numel();
    if (n == 0) return dx;
    sq_relu_bwd<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        grad.data_ptr<float>(), x.data_ptr<float>(), dx.data_ptr<float>(), n);
    return dx;
}
"""

_cpp = """
torch::Tensor forward(torch::Tensor x);
torch::Tensor backward(torch::Tensor grad, torch::Tensor x);
"""

_ext = load_inline(name="squared_relu_autograd", cpp_sources=_cpp, cuda_sources=_cuda, functions=["forward", "backward"])


class SquaredReLU(Function):
    @staticmethod
    def forward(ctx, x):
        x = x.contiguous()
        ctx.save_for_backward(x)
        return _ext.forward(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return _ext.backward(grad.contiguous(), x)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return SquaredReLU.apply(x)
