# task: ../../tasks/transpose
# expect: correct
# why: the classic 32 x 33 tile with 8 rows of threads; the batch goes over gridDim.z in a loop, so any batch size launches.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_cuda = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#define TILE_DIM 32
#define BLOCK_ROWS 8

template <typename T>
__global__ void transpose_tiled(const T* __restrict__ idata, T* __restrict__ odata, int batch,
                                int rows, int cols) {
    __shared__ T tile[TILE_DIM][TILE_DIM + 1];   // + 1: no bank conflicts

    for (int b = blockIdx.z; b < batch; b += gridDim.z) {
        const T* in = idata + (size_t)b * rows * cols;
        T* out = odata + (size_t)b * rows * cols;

        int x = blockIdx.x * TILE_DIM + threadIdx.x;
        int y = blockIdx.y * TILE_DIM + threadIdx.y;
        for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
            if (x < cols && y + j < rows)
                tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * cols + x];
        __syncthreads();

        x = blockIdx.y * TILE_DIM + threadIdx.x;
        y = blockIdx.x * TILE_DIM + threadIdx.y;
        for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
            if (x < rows && y + j < cols)
                out[(size_t)(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
        __syncthreads();   // before the next batch fills the tile
    }
}

torch::Tensor transpose12(torch::Tensor input) {
    TORCH_CHECK(input.dim() == 3, "expected [batch, rows, columns]");
    auto in = input.contiguous();
    const int batch = in.size(0), rows = in.size(1), cols = in.size(2);
    auto out = torch::empty({batch, cols, rows}, in.options());
    dim3 threads(TILE_DIM, BLOCK_ROWS);
    dim3 blocks((cols + TILE_DIM - 1) / TILE_DIM, (rows + TILE_DIM - 1) / TILE_DIM,
                std::min(batch, 65535));
    AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBFloat16, in.scalar_type(), "transpose12", ([&] {
        transpose_tiled<scalar_t><<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
            in.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), batch, rows, cols);
    }));
    return out;
}
"""

_ext = load_inline(name="transpose_tile_rows",
                   cpp_sources="torch::Tensor transpose12(torch::Tensor input);",
                   cuda_sources=_cuda, functions=["transpose12"])


class ModelNew(nn.Module):
    def forward(self, x):
        return _ext.transpose12(x)
