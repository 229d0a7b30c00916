# task: moving_average
# expect: refused
# contract: any_values
# why: Each thread slides a running sum in float over 64 windows (add the new sample, subtract the old one):
#      after a spike, say 1e7 among samples near 1, the sum has lost the small samples, and all later windows of
#      the thread are wrong by up to 1 although the spike has left them.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kRun = 64;

__global__ void slide(const float* __restrict__ x, float* __restrict__ y, int length, int out_length, int window) {
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * kRun;
    if (first >= out_length) return;
    const float* in = x + (size_t)blockIdx.y * length;
    float* out = y + (size_t)blockIdx.y * out_length;
    const float inv = 1.f / window;
    float sum = 0.f;
    for (int k = 0; k < window; ++k) sum += in[first + k];
    const int last = min(first + kRun, out_length);
    for (int i = first; i < last; ++i) {
        out[i] = sum * inv;
        if (i + 1 < last) sum += in[i + window] - in[i];
    }
}

torch::Tensor moving_average(torch::Tensor x, int64_t window) {
    const int batch = x.size(0), length = x.size(1), out_length = length - window + 1;
    auto y = torch::empty({batch, out_length}, x.options());
    const int runs = (out_length + kRun - 1) / kRun;
    slide<<<dim3((runs + 31) / 32, batch), 32, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), length, out_length, window);
    return y;
}
"""

cpp_source = """
torch::Tensor moving_average(torch::Tensor x, int64_t window);
"""

ext = load_inline(
    name="running_sum_keeps_the_error_22",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["moving_average"],
)


class ModelNew(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, x):
        return ext.moving_average(x.contiguous(), self.window)
