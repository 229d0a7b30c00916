# task: fixed_point_round
# expect: refused
# why: roundf rounds halves away from zero; torch.round rounds them to even. For x * 128 = k + 0.5 with k even (x =
#      1/256, 5/256, -3/256 ..., e.g. image data in steps of 1/256) the result is 1/128 = 0.0078 too large in
#      magnitude, far above the tolerance of 1e-4.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void fixed_point_kernel(const float* __restrict__ x, float* __restrict__ y, float scale, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float q = fminf(fmaxf(roundf(x[i] * scale), -128.0f), 127.0f);
    y[i] = q / scale;
}

torch::Tensor fixed_point_round(torch::Tensor x, double scale) {
    auto y = torch::empty_like(x);
    const int n = x.numel();
    fixed_point_kernel<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), (float)scale, n);
    return y;
}
"""

cpp_source = """
torch::Tensor fixed_point_round(torch::Tensor x, double scale);
"""

ops = load_inline(
    name="fixed_point_ties",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["fixed_point_round"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self, fraction_bits):
        super().__init__()
        self.scale = float(2 ** fraction_bits)

    def forward(self, x):
        return ops.fixed_point_round(x, self.scale)
