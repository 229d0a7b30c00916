# task: ../../tasks/depthwise_conv1d
# expect: correct
# why: the taps are copied from the parameter to constant memory in every call, on the stream of the kernel, so that nothing stale is kept.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
constexpr int kMostTaps = 4096;
__constant__ float taps[kMostTaps];

__global__ void conv_kernel(const float* __restrict__ x, float* __restrict__ y, int channels, int length, int outputs,
                            int kernel_size, int padding) {
    const int o = blockIdx.x * blockDim.x + threadIdx.x;
    // A block has one plane, so that a warp reads one constant at a time.
    const int plane = blockIdx.y;
    if (o >= outputs) return;
    const float* own = taps + (plane % channels) * kernel_size;
    const float* from = x + static_cast<size_t>(plane) * length;
    float s = 0.0f;
    for (int k = 0; k < kernel_size; ++k) {
        const int i = o + k - padding;
        if (i >= 0 && i < length) s = fmaf(own[k], from[i], s);
    }
    y[static_cast<size_t>(plane) * outputs + o] = s;
}

torch::Tensor depthwise(torch::Tensor x, torch::Tensor weight, int64_t padding) {
    x = x.contiguous();
    weight = weight.contiguous();
    TORCH_CHECK(weight.numel() <= kMostTaps, weight.numel(), " taps do not fit constant memory");
    const int batch = x.size(0), channels = x.size(1), length = x.size(2), kernel_size = weight.size(2);
    const int outputs = length + 2 * static_cast<int>(padding) - kernel_size + 1;
    TORCH_CHECK(outputs > 0, "the kernel is longer than the padded input");
    auto y = torch::empty({batch, channels, outputs}, x.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    C10_CUDA_CHECK(cudaMemcpyToSymbolAsync(taps, weight.data_ptr<float>(), weight.numel() * sizeof(float), 0,
                                           cudaMemcpyDeviceToDevice, stream));
    conv_kernel<<<dim3((outputs + 63) / 64, batch * channels), 64, 0, stream>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), channels, length, outputs, kernel_size, static_cast<int>(padding));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}
"""

ext = load_inline(name="w8_constant_taps_every_call", cpp_sources='torch::Tensor depthwise(torch::Tensor x, torch::Tensor weight, int64_t padding);',
                  cuda_sources=cuda_src, functions=['depthwise'])


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_size, padding):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel_size, padding=padding, groups=channels, bias=False)
        self.padding = padding

    def forward(self, x):
        return ext.depthwise(x, self.conv.weight.detach(), self.padding)
