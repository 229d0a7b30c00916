# task: lookup_curve
# expect: refused
# why: For x >= 1 (saturated pixels) the upper point is table[256], one element past the end of the table: its
#      weight is 0, but 0 times what lies there is NaN if that is NaN or infinite. torch.rand() never reaches 1,
#      larger inputs are clamped to it.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void curve(const float* __restrict__ x, const float* __restrict__ table, float* __restrict__ y, int n,
                      int last) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float place = fminf(fmaxf(x[i], 0.f), 1.f) * last;
        const int low = (int)place;
        const float t = place - low;
        y[i] = __ldg(table + low) * (1.f - t) + __ldg(table + low + 1) * t;
    }
}

torch::Tensor tone_curve(torch::Tensor x, torch::Tensor table) {
    auto y = torch::empty_like(x);
    const int n = x.numel();
    curve<<<256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), table.data_ptr<float>(),
                                                             y.data_ptr<float>(), n, (int)table.numel() - 1);
    return y;
}
"""

cpp_source = """
torch::Tensor tone_curve(torch::Tensor x, torch::Tensor table);
"""

ext = load_inline(
    name="table_read_beyond_end_05",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["tone_curve"],
)


class ModelNew(nn.Module):
    def __init__(self, points):
        super().__init__()
        self.register_buffer("table", torch.linspace(0, 1, points) ** 0.45)

    def forward(self, x):
        return ext.tone_curve(x.contiguous(), self.table)
