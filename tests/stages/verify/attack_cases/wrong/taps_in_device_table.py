# task: ../../tasks/depthwise_conv1d
# expect: refused
# why: the taps are written to a __device__ float4 table only when the weight's address changes: an in-place step of an optimizer keeps the address, and later calls use the old taps.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#define MOST_CHANNELS 512
// Five taps and three zeros of each channel.
__device__ float4 tap_table[2 * MOST_CHANNELS];

__global__ void fill_table(const float* __restrict__ w, int channels) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    const float* t = w + c * 5;
    tap_table[2 * c] = make_float4(t[0], t[1], t[2], t[3]);
    tap_table[2 * c + 1] = make_float4(t[4], 0.0f, 0.0f, 0.0f);
}

__global__ void conv_kernel(const float* __restrict__ x, float* __restrict__ y, int channels, int length, int padding,
                            int out_length) {
    const int plane = blockIdx.y, c = plane % channels, o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o >= out_length) return;
    const float4 a = tap_table[2 * c], b = tap_table[2 * c + 1];
    const float taps[5] = {a.x, a.y, a.z, a.w, b.x};
    float s = 0.0f;
#pragma unroll
    for (int k = 0; k < 5; ++k) {
        const int i = o + k - padding;
        if (i >= 0 && i < length) s = fmaf(taps[k], x[plane * length + i], s);
    }
    y[plane * out_length + o] = s;
}

namespace {
const void* table_of = nullptr;
}

torch::Tensor depthwise(torch::Tensor x, torch::Tensor w, int64_t padding) {
    TORCH_CHECK(w.size(2) == 5 && w.size(0) <= MOST_CHANNELS, "five taps and at most ", MOST_CHANNELS, " channels");
    x = x.contiguous();
    const int batch = x.size(0), channels = x.size(1), length = x.size(2), out_length = length + 2 * padding - 4;
    auto stream = at::cuda::getCurrentCUDAStream();
    if (table_of != w.data_ptr()) {
        fill_table<<<(channels + 63) / 64, 64, 0, stream>>>(w.data_ptr<float>(), channels);
        table_of = w.data_ptr();
    }
    auto y = torch::empty({batch, channels, out_length}, x.options());
    conv_kernel<<<dim3((out_length + 63) / 64, batch * channels), 64, 0, stream>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), channels, length, padding, out_length);
    return y;
}
"""

ext = load_inline(name="w8_taps_in_device_table", cpp_sources='torch::Tensor depthwise(torch::Tensor x, torch::Tensor w, int64_t padding);',
                  cuda_sources=cuda_src, functions=['depthwise'])


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_size, padding):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel_size, padding=padding, groups=channels, bias=False)
        self.padding = padding

    def forward(self, x):
        return ext.depthwise(x, self.conv.weight.detach(), self.padding)
