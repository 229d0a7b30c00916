# task: ../../tasks/rms_norm
# expect: refused
# why: in the second round of 8 channels only 2 lanes set their variable; the other 6 add what lies in its register (on a device the value of the round before, or garbage) to the sum of squares.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#define LANES 8

// Eight lanes share a place, and take its channels in rounds.
__global__ void rms_kernel(const float* __restrict__ x, float* __restrict__ y, int places, int channels, int inner,
                           float eps) {
    const int place = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    const bool in = place < places;
    const size_t first = (size_t)(place / inner) * channels * inner + place % inner;
    float square = 0.0f;
#pragma unroll 1
    for (int c = 0; c < channels; c += LANES) {
        float value;
        if (in && c + lane < channels) value = x[first + (size_t)(c + lane) * inner];
        square += value * value;
    }
    for (int o = LANES / 2; o > 0; o /= 2) square += __shfl_xor_sync(0xffffffffu, square, o, LANES);
    if (!in) return;
    const float rms = sqrtf(square / channels + eps);
    for (int c = lane; c < channels; c += LANES) y[first + (size_t)c * inner] = x[first + (size_t)c * inner] / rms;
}

torch::Tensor rms_norm(torch::Tensor x, double eps) {
    x = x.contiguous();
    const int channels = x.size(1), inner = x.numel() / (x.size(0) * channels), places = x.size(0) * inner;
    auto y = torch::empty_like(x);
    rms_kernel<<<(places * LANES + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), places, channels, inner, eps);
    return y;
}
"""

ext = load_inline(name="w8_unset_lanes", cpp_sources='torch::Tensor rms_norm(torch::Tensor x, double eps);',
                  cuda_sources=cuda_src, functions=['rms_norm'])


class ModelNew(nn.Module):
    def __init__(self, num_features, eps=1e-5):
        super().__init__()
        self.eps = eps

    def forward(self, x):
        return ext.rms_norm(x, self.eps)
