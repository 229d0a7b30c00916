# task: ../../tasks/row_extremes
# expect: refused
# why: the caller's stream waits for the first side stream's event twice and never for the second's: nothing orders the minimum before the caller reads it.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
template <int kWhich>
__global__ void reduce_rows(const float* __restrict__ x, float* __restrict__ out, int rows, int columns) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float v = x[row * columns];
    for (int c = 1; c < columns; ++c) {
        const float e = x[row * columns + c];
        if constexpr (kWhich == 0) v = e > v || e != e ? e : v;
        if constexpr (kWhich == 1) v = e < v || e != e ? e : v;
        if constexpr (kWhich == 2) v *= e;
    }
    out[row] = v;
}

std::vector<torch::Tensor> row_extremes(torch::Tensor x) {
    x = x.contiguous();
    const int rows = x.size(0), columns = x.size(1), grid = (rows + 63) / 64;
    auto high = torch::empty({rows}, x.options()), low = torch::empty({rows}, x.options());
    auto product = torch::empty({rows}, x.options());
    auto main = at::cuda::getCurrentCUDAStream();
    at::cuda::CUDAStream sides[2] = {at::cuda::getStreamFromPool(), at::cuda::getStreamFromPool()};
    at::cuda::CUDAEvent ready, ends[2];
    ready.record(main);
    ready.block(sides[0]);
    ready.block(sides[1]);
    reduce_rows<0><<<grid, 64, 0, sides[0]>>>(x.data_ptr<float>(), high.data_ptr<float>(), rows, columns);
    ends[0].record(sides[0]);
    reduce_rows<1><<<grid, 64, 0, sides[1]>>>(x.data_ptr<float>(), low.data_ptr<float>(), rows, columns);
    ends[1].record(sides[1]);
    reduce_rows<2><<<grid, 64, 0, main>>>(x.data_ptr<float>(), product.data_ptr<float>(), rows, columns);
    ends[0].block(main);
    ends[0].block(main);
    return {high, low, product};
}
"""

ext = load_inline(name="w8_waits_for_one_event_twice", cpp_sources='std::vector<torch::Tensor> row_extremes(torch::Tensor x);',
                  cuda_sources=cuda_src, functions=['row_extremes'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        high, low, product = ext.row_extremes(x)
        return high, low, product
