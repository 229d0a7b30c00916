# task: maxpool
# expect: correct
# why: windows are cut to the image beforehand, offsets are 64-bit in a grid-stride loop whose grid comes from the
# occupancy query, NaN goes on as in torch; constants hold the parameters.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <algorithm>

constexpr int kKernel = 3, kStride = 2, kPadding = 1;

constexpr int outputs(int size) { return (size + 2 * kPadding - kKernel) / kStride + 1; }

template <typename scalar_t>
__global__ void maxpool_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ out, int64_t total,
                               int H, int W, int OH, int OW) {
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < total;
         i += (int64_t)gridDim.x * blockDim.x) {
        const int ox = (int)(i % OW), oy = (int)(i / OW % OH);
        const scalar_t* plane = x + i / ((int64_t)OW * OH) * H * W;
        const int y0 = max(0, oy * kStride - kPadding);
        const int x0 = max(0, ox * kStride - kPadding);
        const int y1 = min(H, oy * kStride - kPadding + kKernel);
        const int x1 = min(W, ox * kStride - kPadding + kKernel);
        scalar_t best = -INFINITY;
        for (int yy = y0; yy < y1; ++yy) {
            for (int xx = x0; xx < x1; ++xx) {
                const scalar_t v = plane[(int64_t)yy * W + xx];
                if (v > best || v != v) best = v;
            }
        }
        out[i] = best;
    }
}

torch::Tensor maxpool(torch::Tensor x) {
    x = x.contiguous();
    const int B = x.size(0), C = x.size(1), H = x.size(2), W = x.size(3);
    const int OH = outputs(H), OW = outputs(W);
    auto out = torch::empty({B, C, OH, OW}, x.options());
    const int64_t total = out.numel();
    int grid = 0, block = 0;
    C10_CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, maxpool_kernel<float>, 0, 0));
    grid = (int)std::min<int64_t>(grid, (total + block - 1) / block);
    maxpool_kernel<float><<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), total, H, W, OH, OW);
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(name="w7h_w_maxpool_bounds", cpp_sources="torch::Tensor maxpool(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["maxpool"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.maxpool(x)
