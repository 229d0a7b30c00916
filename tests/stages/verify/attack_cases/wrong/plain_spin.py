# task: ../../tasks/cumsum
# expect: refused
# why: a tile waits for the one before it by plain loads of a flag: nvcc loads it once before the loop, so that a tile that comes too early waits for ever (or, with the flag's and the sum's order open, reads an old sum).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#define TILE 32

__global__ void scan_kernel(const float* __restrict__ x, float* __restrict__ y, float* totals, int* ready, int length,
                            int tiles) {
    const int row = blockIdx.y, tile = blockIdx.x, lane = threadIdx.x, i = tile * TILE + lane;
    float v = i < length ? x[row * length + i] : 0.0f;
    for (int o = 1; o < TILE; o *= 2) {
        const float before = __shfl_up_sync(0xffffffffu, v, o);
        if (lane >= o) v += before;
    }
    float carried = 0.0f;
    if (lane == TILE - 1) {
        if (tile > 0) {
            const int* flag = ready + row * tiles + tile - 1;
            while (*flag == 0) {
            }
            carried = totals[row * tiles + tile - 1];
        }
        totals[row * tiles + tile] = carried + v;
        __threadfence();
        ready[row * tiles + tile] = 1;
    }
    carried = __shfl_sync(0xffffffffu, carried, TILE - 1);
    if (i < length) y[row * length + i] = carried + v;
}

torch::Tensor row_cumsum(torch::Tensor x) {
    x = x.contiguous();
    const int rows = x.size(0), length = x.size(1), tiles = (length + TILE - 1) / TILE;
    auto y = torch::empty_like(x);
    auto totals = torch::empty({rows, tiles}, x.options());
    auto ready = torch::zeros({rows, tiles}, x.options().dtype(torch::kInt32));
    scan_kernel<<<dim3(tiles, rows), TILE, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), totals.data_ptr<float>(), ready.data_ptr<int>(), length, tiles);
    return y;
}
"""

ext = load_inline(name="w8_plain_spin", cpp_sources='torch::Tensor row_cumsum(torch::Tensor x);',
                  cuda_sources=cuda_src, functions=['row_cumsum'])


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return ext.row_cumsum(x.transpose(self.dim, -1)).transpose(self.dim, -1)
