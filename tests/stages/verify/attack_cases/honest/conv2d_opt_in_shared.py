# task: conv2d
# expect: correct
# why: all input channels of a tile lie in dynamic shared memory (opted in with cudaFuncSetAttribute when it is
# above 48 KB), at the dilation of the task.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
constexpr int kTile = 16;
constexpr int kDilation = 2;
constexpr int kHalo = kTile + 2 * kDilation;

// A block makes a 16 x 16 tile of all filters of one image.
__global__ void conv_kernel(const float* __restrict__ x, const float* __restrict__ w,
                            const float* __restrict__ bias, float* __restrict__ out, int C, int F,
                            int H, int W) {
    extern __shared__ float tile[];  // C x kHalo x kHalo
    const int tiles_x = (W + kTile - 1) / kTile;
    const int y0 = blockIdx.x / tiles_x * kTile, x0 = blockIdx.x % tiles_x * kTile;
    const float* image = x + (size_t)blockIdx.y * C * H * W;
    for (int i = threadIdx.x; i < C * kHalo * kHalo; i += blockDim.x) {
        const int c = i / (kHalo * kHalo), r = i / kHalo % kHalo, q = i % kHalo;
        const int yy = y0 + r - kDilation, xx = x0 + q - kDilation;
        const bool inside = yy >= 0 && yy < H && xx >= 0 && xx < W;
        tile[i] = inside ? image[((size_t)c * H + yy) * W + xx] : 0.0f;
    }
    __syncthreads();
    const int ty = threadIdx.x / kTile, tx = threadIdx.x % kTile;
    const int oy = y0 + ty, ox = x0 + tx;
    if (oy >= H || ox >= W) return;
    for (int f = 0; f < F; ++f) {
        float acc = bias[f];
        for (int c = 0; c < C; ++c) {
#pragma unroll
            for (int ky = 0; ky < 3; ++ky) {
#pragma unroll
                for (int kx = 0; kx < 3; ++kx) {
                    acc = fmaf(__ldg(&w[((f * C + c) * 3 + ky) * 3 + kx]),
                               tile[(c * kHalo + ty + ky * kDilation) * kHalo + tx + kx * kDilation], acc);
                }
            }
        }
        out[(((size_t)blockIdx.y * F + f) * H + oy) * W + ox] = acc;
    }
}

torch::Tensor conv(torch::Tensor x, torch::Tensor w, torch::Tensor bias) {
    x = x.contiguous();
    w = w.contiguous();
    bias = bias.contiguous();
    const int B = x.size(0), C = x.size(1), H = x.size(2), W = x.size(3), F = w.size(0);
    auto out = torch::empty({B, F, H, W}, x.options());
    const size_t shared = (size_t)C * kHalo * kHalo * sizeof(float);
    if (shared > 48 * 1024) {
        C10_CUDA_CHECK(cudaFuncSetAttribute(conv_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            (int)shared));
    }
    const int tiles = ((W + kTile - 1) / kTile) * ((H + kTile - 1) / kTile);
    conv_kernel<<<dim3(tiles, B), kTile * kTile, shared, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), w.data_ptr<float>(), bias.data_ptr<float>(), out.data_ptr<float>(), C, F, H, W);
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(name="w7h_w_conv2d_opt_in_shared", cpp_sources="torch::Tensor conv(torch::Tensor x, torch::Tensor w, torch::Tensor bias);",
                  cuda_sources=cuda_src, functions=["conv"])


class ModelNew(nn.Module):
    def __init__(self, channels: int, filters: int):
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, 3, padding=2, dilation=2)

    def forward(self, x):
        return ext.conv(x, self.conv.weight.detach(), self.conv.bias.detach())
