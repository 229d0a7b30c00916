# task: larger_of_two
# expect: refused
# contract: any_values
# why: fmaxf(a, b) returns the other operand where one is NaN; torch.maximum returns NaN. Where both are NaN the
#      results agree.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void larger(const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ y, int n4) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    const float4 p = a[i], q = b[i];
    y[i] = make_float4(fmaxf(p.x, q.x), fmaxf(p.y, q.y), fmaxf(p.z, q.z), fmaxf(p.w, q.w));
}

torch::Tensor larger_of(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.numel() == b.numel() && a.numel() % 4 == 0);
    auto y = torch::empty_like(a);
    const int n4 = a.numel() / 4;
    larger<<<(n4 + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        reinterpret_cast<const float4*>(a.data_ptr<float>()), reinterpret_cast<const float4*>(b.data_ptr<float>()),
        reinterpret_cast<float4*>(y.data_ptr<float>()), n4);
    return y;
}
"""

cpp_source = """
torch::Tensor larger_of(torch::Tensor a, torch::Tensor b);
"""

ext = load_inline(
    name="nan_in_one_operand_27",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["larger_of"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return ext.larger_of(a.contiguous(), b.contiguous())
