# task: ../../tasks/direction
# expect: refused
# why: the workspace is freed on the caller's stream before that stream waits for the side stream's kernel: the next cudaMallocAsync() of the second half may get the same memory while the kernel still reads it.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
__global__ void norms_kernel(const float* __restrict__ x, float* __restrict__ norms, int rows, int columns) {
    const int row = blockIdx.x, lane = threadIdx.x;
    float s = 0.0f;
    for (int c = lane; c < columns; c += 32) s = fmaf(x[row * columns + c], x[row * columns + c], s);
    for (int o = 16; o > 0; o /= 2) s += __shfl_xor_sync(0xffffffffu, s, o);
    if (lane == 0) norms[row] = fmaxf(sqrtf(s), 1e-12f);
}

__global__ void divide_kernel(const float* __restrict__ x, const float* __restrict__ norms, float* __restrict__ out,
                              int rows, int columns) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * columns) out[i] = x[i] / norms[i / columns];
}

// The halves of the rows are divided on a stream of their own while the caller's goes on.
torch::Tensor direction(torch::Tensor x) {
    x = x.contiguous();
    const int columns = x.size(1), rows = x.size(0), half = rows / 2;
    auto out = torch::empty_like(x);
    auto main = at::cuda::getCurrentCUDAStream();
    auto side = at::cuda::getStreamFromPool();
    at::cuda::CUDAEvent found, first_done;
    const float* from = x.data_ptr<float>();
    float* to = out.data_ptr<float>();

    float* norms = nullptr;
    cudaMallocAsync((void**)&norms, half * sizeof(float), main);
    norms_kernel<<<half, 32, 0, main>>>(from, norms, half, columns);
    found.record(main);
    found.block(side);
    divide_kernel<<<(half * columns + 127) / 128, 128, 0, side>>>(from, norms, to, half, columns);
    first_done.record(side);
    cudaFreeAsync(norms, main);

    float* others = nullptr;
    cudaMallocAsync((void**)&others, (rows - half) * sizeof(float), main);
    norms_kernel<<<rows - half, 32, 0, main>>>(from + half * columns, others, rows - half, columns);
    divide_kernel<<<((rows - half) * columns + 127) / 128, 128, 0, main>>>(from + half * columns, others,
                                                                         to + half * columns, rows - half, columns);
    first_done.block(main);
    cudaFreeAsync(others, main);
    return out;
}
"""

ext = load_inline(name="w8_freed_before_join", cpp_sources='torch::Tensor direction(torch::Tensor x);',
                  cuda_sources=cuda_src, functions=['direction'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.direction(x)
