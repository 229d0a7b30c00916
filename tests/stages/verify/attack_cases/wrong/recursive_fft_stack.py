# task: fft64
# expect: refused
# why: a recursive device function with two 256-byte arrays (float2[32]) in each of 6 nested frames (about 4 KB with the
# array of the kernel) needs far more than the 1024 bytes that cudaLimitStackSize gives a thread; nobody raises
# the limit, so the stack overflows on a GPU in every call (the CPU has large stacks).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>

// Radix-2 transform, in place: split into even and odd, transform both, combine.
__device__ __noinline__ void fft_rec(float2* a, int n) {
    if (n == 1) return;
    float2 even[32];
    float2 odd[32];
    const int half = n / 2;
    for (int i = 0; i < half; ++i) {
        even[i] = a[2 * i];
        odd[i] = a[2 * i + 1];
    }
    fft_rec(even, half);
    fft_rec(odd, half);
    for (int k = 0; k < half; ++k) {
        float s, c;
        sincosf(-6.283185307179586f * (float)k / (float)n, &s, &c);
        const float2 t = make_float2(c * odd[k].x - s * odd[k].y, c * odd[k].y + s * odd[k].x);
        a[k] = make_float2(even[k].x + t.x, even[k].y + t.y);
        a[k + half] = make_float2(even[k].x - t.x, even[k].y - t.y);
    }
}

__global__ void fft_mag_kernel(const float* __restrict__ x, float* __restrict__ out, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float2 a[64];
    for (int i = 0; i < 64; ++i) a[i] = make_float2(x[(size_t)row * 64 + i], 0.0f);
    fft_rec(a, 64);
    for (int i = 0; i < 64; ++i) {
        out[(size_t)row * 64 + i] = sqrtf(a[i].x * a[i].x + a[i].y * a[i].y);
    }
}

torch::Tensor fft_mag(torch::Tensor x) {
    TORCH_CHECK(x.size(-1) == 64, "frames of 64 samples are expected");
    x = x.contiguous();
    auto out = torch::empty_like(x);
    const int rows = (int)(x.numel() / 64);
    fft_mag_kernel<<<(rows + 63) / 64, 64, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), rows);
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(name="w7_fft_rec", cpp_sources="torch::Tensor fft_mag(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["fft_mag"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.fft_mag(x)
