# task: ../../tasks/avg_pool1d
# expect: refused
# why: padding is made by a factor of 0 on a load that is not guarded: the first window reads before the tensor and the last one behind it, where NaN or infinity makes the result NaN and an unmapped page ends the launch.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
__global__ void avg_pool_kernel(const float* __restrict__ x, float* __restrict__ y, int planes, int length, int outputs,
                                int kernel_size, int stride, int padding) {
    const int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o >= planes * outputs) return;
    const int plane = o / outputs, start = (o % outputs) * stride - padding;
    float s = 0.0f;
    for (int k = 0; k < kernel_size; ++k) {
        const int i = start + k;
        const float inside = i >= 0 && i < length ? 1.0f : 0.0f;  // No branch.
        s += inside * x[plane * length + i];
    }
    y[o] = s / kernel_size;
}

torch::Tensor avg_pool(torch::Tensor x, int64_t kernel_size, int64_t stride, int64_t padding) {
    x = x.contiguous();
    const int planes = x.size(0) * x.size(1), length = x.size(2);
    const int outputs = (length + 2 * padding - kernel_size) / stride + 1;
    auto y = torch::empty({x.size(0), x.size(1), outputs}, x.options());
    avg_pool_kernel<<<(planes * outputs + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), planes, length, outputs, kernel_size, stride, padding);
    return y;
}
"""

ext = load_inline(name="w8_zero_times_outside", cpp_sources='torch::Tensor avg_pool(torch::Tensor x, int64_t kernel_size, int64_t stride, int64_t padding);',
                  cuda_sources=cuda_src, functions=['avg_pool'])


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride=1, padding=0):
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding

    def forward(self, x):
        return ext.avg_pool(x, self.kernel_size, self.stride, self.padding)
