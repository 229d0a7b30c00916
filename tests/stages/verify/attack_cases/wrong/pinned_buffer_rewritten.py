# task: pyramid_blur
# expect: refused
# why: the taps of each level go through one pinned buffer that the host fills again for the next level while the
# asynchronous copy of the level before may still wait behind its kernel: on a GPU the filters of later levels
# are used early. Any own inputs; nearly every call, as the first kernel takes longer than the host's loop.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cmath>
#include <ATen/cuda/CUDAContext.h>

__global__ void blur_kernel(const float* __restrict__ x, const float* __restrict__ taps,
                            float* __restrict__ out, int cols) {
    const int row = blockIdx.y;
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float s = 0.0f;
    for (int t = 0; t < 9; ++t) {
        const int at = c + t - 4;
        if (at >= 0 && at < cols) s += taps[t] * x[(size_t)row * cols + at];
    }
    out[(size_t)row * cols + c] = s;
}

torch::Tensor pyramid_blur(torch::Tensor x) {
    x = x.contiguous();
    const int rows = x.size(0), cols = x.size(1);
    auto stream = at::cuda::getCurrentCUDAStream();
    float* host = nullptr;
    C10_CUDA_CHECK(cudaMallocHost((void**)&host, 9 * sizeof(float)));
    auto taps = torch::empty({9}, x.options());
    auto from = x;
    auto to = torch::empty_like(x);
    auto spare = torch::empty_like(x);
    for (int level = 0; level < 4; ++level) {
        const float sigma = 0.6f + 0.5f * level;
        float sum = 0.0f;
        for (int t = 0; t < 9; ++t) {
            const float d = (t - 4) / sigma;
            host[t] = std::exp(-0.5f * d * d);
            sum += host[t];
        }
        for (int t = 0; t < 9; ++t) host[t] /= sum;
        C10_CUDA_CHECK(cudaMemcpyAsync(taps.data_ptr<float>(), host, 9 * sizeof(float),
                                       cudaMemcpyHostToDevice, stream));
        blur_kernel<<<dim3((cols + 255) / 256, rows), 256, 0, stream>>>(
            from.data_ptr<float>(), taps.data_ptr<float>(), to.data_ptr<float>(), cols);
        C10_CUDA_CHECK(cudaGetLastError());
        auto last = to;
        to = level == 0 ? spare : from;
        from = last;
    }
    C10_CUDA_CHECK(cudaStreamSynchronize(stream));
    C10_CUDA_CHECK(cudaFreeHost(host));
    return from;
}
"""

ext = load_inline(name="w7_pinned_taps", cpp_sources="torch::Tensor pyramid_blur(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["pyramid_blur"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.pyramid_blur(x)
