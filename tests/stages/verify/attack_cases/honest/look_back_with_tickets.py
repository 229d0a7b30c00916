# task: ../../tasks/cumsum
# expect: correct
# why: a scan in tiles with look-back: tickets order the tiles, and a total is published by a fence and a volatile flag, read by volatile loads and a fence.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
constexpr int kTile = 32;

__global__ void scan_kernel(const float* __restrict__ x, float* __restrict__ y, volatile float* totals,
                            volatile int* ready, int* tickets, int rows, int length, int tiles) {
    const int lane = threadIdx.x;
    int ticket = 0;
    if (lane == 0) ticket = atomicAdd(tickets, 1);
    ticket = __shfl_sync(0xffffffffu, ticket, 0);
    // Tiles of a row are drawn in order: the one that a tile waits for is already running.
    const int row = ticket / tiles, tile = ticket % tiles, i = tile * kTile + lane;
    float v = i < length ? x[static_cast<size_t>(row) * length + i] : 0.0f;
    for (int o = 1; o < kTile; o *= 2) {
        const float before = __shfl_up_sync(0xffffffffu, v, o);
        if (lane >= o) v += before;
    }
    float carried = 0.0f;
    if (lane == kTile - 1) {
        if (tile > 0) {
            while (ready[ticket - 1] == 0) {
                __nanosleep(20);
            }
            __threadfence();
            carried = totals[ticket - 1];
        }
        totals[ticket] = carried + v;
        __threadfence();
        ready[ticket] = 1;
    }
    carried = __shfl_sync(0xffffffffu, carried, kTile - 1);
    if (i < length) y[static_cast<size_t>(row) * length + i] = carried + v;
}

torch::Tensor row_cumsum(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2, "rows expected");
    x = x.contiguous();
    const int rows = x.size(0), length = x.size(1), tiles = (length + kTile - 1) / kTile;
    auto y = torch::empty_like(x);
    if (x.numel() == 0) return y;
    auto totals = torch::empty({rows * tiles}, x.options());
    auto state = torch::zeros({rows * tiles + 1}, x.options().dtype(torch::kInt32));
    int* flags = state.data_ptr<int>();
    scan_kernel<<<rows * tiles, kTile, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), totals.data_ptr<float>(), flags + 1, flags, rows, length, tiles);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}
"""

ext = load_inline(name="w8_look_back_with_tickets", cpp_sources='torch::Tensor row_cumsum(torch::Tensor x);',
                  cuda_sources=cuda_src, functions=['row_cumsum'])


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return ext.row_cumsum(x.transpose(self.dim, -1)).transpose(self.dim, -1)
