# task: quantize_int8
# expect: refused
# why: Relies on the conversion from float to signed char to saturate. On a GPU the conversion is to a 16- or
#      32-bit integer whose low byte is stored, so 200 becomes -56 instead of 127. With scale 32 and inputs of 3 *
#      randn about 18 % of the task's own elements are out of range and wrong.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void quantize_kernel(const float* __restrict__ x, signed char* __restrict__ q, float scale, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // rintf rounds half to even; float-to-integer conversions saturate in CUDA.
    if (i < n) q[i] = static_cast<signed char>(rintf(x[i] * scale));
}

torch::Tensor quantize(torch::Tensor x, double scale) {
    auto q = torch::empty(x.sizes(), x.options().dtype(torch::kInt8));
    const int n = x.numel();
    quantize_kernel<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), reinterpret_cast<signed char*>(q.data_ptr<int8_t>()), (float)scale, n);
    return q;
}
"""

cpp_source = """
torch::Tensor quantize(torch::Tensor x, double scale);
"""

ops = load_inline(
    name="quantize_saturating_cast",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["quantize"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x):
        return ops.quantize(x, self.scale)
