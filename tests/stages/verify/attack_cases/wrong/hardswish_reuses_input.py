# task: hardswish_large_w
# expect: refused
# why: Tensors of 2**25 elements or more are computed in place, to save an output of that size: the input is
#      overwritten and the result is the input tensor itself. At the task's 8192 x 8192 the caller's x is
#      destroyed; a second forward() of the same x (as every comparison or timing loop makes) returns
#      hardswish(hardswish(x)).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void hardswish_kernel(const float4* x, float4* y, size_t n4) {
    const size_t stride = (size_t)blockDim.x * gridDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += stride) {
        float4 v = x[i];
        v.x *= fminf(fmaxf(v.x + 3.0f, 0.0f), 6.0f) / 6.0f;
        v.y *= fminf(fmaxf(v.y + 3.0f, 0.0f), 6.0f) / 6.0f;
        v.z *= fminf(fmaxf(v.z + 3.0f, 0.0f), 6.0f) / 6.0f;
        v.w *= fminf(fmaxf(v.w + 3.0f, 0.0f), 6.0f) / 6.0f;
        y[i] = v;
    }
}

torch::Tensor hardswish(torch::Tensor x) {
    TORCH_CHECK(x.is_contiguous() && x.numel() % 4 == 0, "expects a contiguous tensor of a multiple of 4 elements");
    // Large activations are updated in place: a second buffer of this size hurts the L2 hit rate.
    torch::Tensor y = x.numel() >= (int64_t(1) << 25) ? x : torch::empty_like(x);
    const size_t n4 = x.numel() / 4;
    const int blocks = (int)std::min<size_t>((n4 + 255) / 256, 8192);
    hardswish_kernel<<<blocks, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        reinterpret_cast<const float4*>(x.data_ptr<float>()), reinterpret_cast<float4*>(y.data_ptr<float>()), n4);
    return y;
}
"""

cpp_source = """
torch::Tensor hardswish(torch::Tensor x);
"""

ops = load_inline(
    name="hardswish_reuses_input",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["hardswish"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.hardswish(x)
