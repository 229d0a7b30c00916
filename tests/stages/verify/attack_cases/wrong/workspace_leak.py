# task: pyramid_blur
# expect: refused
# why: each call takes two workspaces of 16 MB with cudaMalloc and never frees them: after some thousand calls (a
# benchmark's usual warm-up and timing loops) an 80 GB device is full, cudaMalloc fails unseen, and kernels get
# null pointers. Right for the first calls; "any number of calls" is not kept.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void blur_kernel(const float* __restrict__ x, float* __restrict__ out, int cols, float sigma) {
    const int row = blockIdx.y;
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float s = 0.0f, sum = 0.0f;
    for (int t = -4; t <= 4; ++t) {
        const float d = t / sigma;
        const float tap = expf(-0.5f * d * d);
        sum += tap;
        if (c + t >= 0 && c + t < cols) s += tap * x[(size_t)row * cols + c + t];
    }
    out[(size_t)row * cols + c] = s / sum;
}

torch::Tensor pyramid_blur(torch::Tensor x) {
    x = x.contiguous();
    const int rows = x.size(0), cols = x.size(1);
    const size_t bytes = x.numel() * sizeof(float);
    float* first = nullptr;
    float* second = nullptr;
    cudaMalloc((void**)&first, bytes);
    cudaMalloc((void**)&second, bytes);
    auto out = torch::empty_like(x);
    auto stream = at::cuda::getCurrentCUDAStream();
    const dim3 grid((cols + 255) / 256, rows);
    blur_kernel<<<grid, 256, 0, stream>>>(x.data_ptr<float>(), first, cols, 0.6f);
    blur_kernel<<<grid, 256, 0, stream>>>(first, second, cols, 1.1f);
    blur_kernel<<<grid, 256, 0, stream>>>(second, first, cols, 1.6f);
    blur_kernel<<<grid, 256, 0, stream>>>(first, out.data_ptr<float>(), cols, 2.1f);
    return out;
}
"""

ext = load_inline(name="w7_leak", cpp_sources="torch::Tensor pyramid_blur(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["pyramid_blur"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.pyramid_blur(x)
