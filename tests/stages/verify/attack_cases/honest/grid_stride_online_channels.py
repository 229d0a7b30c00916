# task: channel_softmax
# expect: correct
# why: style: grid-stride loop, a thread per (batch, position), online maximum and sum over the strided channels,
#      launch size from an occupancy-free heuristic on the number of multiprocessors.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
#include <math_constants.h>

__global__ void channel_softmax_kernel(const float* __restrict__ x, float* __restrict__ y,
                                       int batch, int channels, int inner) {
    const long long total = (long long)batch * inner;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < total;
         i += (long long)gridDim.x * blockDim.x) {
        const long long n = i / inner;
        const long long s = i - n * inner;
        const float* in = x + n * channels * (long long)inner + s;
        float* out = y + n * channels * (long long)inner + s;

        float m = -CUDART_INF_F;
        float d = 0.0f;
        for (int c = 0; c < channels; c++) {
            const float v = in[(long long)c * inner];
            const float m_new = fmaxf(m, v);
            d = d * expf(m - m_new) + expf(v - m_new);
            m = m_new;
        }
        const float inv = 1.0f / d;
        for (int c = 0; c < channels; c++) {
            out[(long long)c * inner] = expf(in[(long long)c * inner] - m) * inv;
        }
    }
}

torch::Tensor channel_softmax(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 3, "expected (batch, channels, length)");
    x = x.contiguous();
    auto y = torch::empty_like(x);
    const int batch = x.size(0), channels = x.size(1), inner = x.size(2);
    const int threads = 128;
    int blocks = (int)(((long long)batch * inner + threads - 1) / threads);
    const int sms = at::cuda::getCurrentDeviceProperties()->multiProcessorCount;
    if (blocks > sms * 16) blocks = sms * 16;
    channel_softmax_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), batch, channels, inner);
    return y;
}
"""

cpp_source = "torch::Tensor channel_softmax(torch::Tensor x);"

channel_softmax = load_inline(
    name="channel_softmax",
    cpp_sources=cpp_source,
    cuda_sources=source,
    functions=["channel_softmax"],
    verbose=False,
    extra_cflags=[""],
    extra_ldflags=[""],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.channel_softmax = channel_softmax

    def forward(self, x):
        return self.channel_softmax.channel_softmax(x)
