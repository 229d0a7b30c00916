# task: ../../tasks/row_extremes
# expect: correct
# why: three reductions on three streams that wait for the inputs and that the caller's stream waits for; a C++20 concept says what a reduction is.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>
#include <concepts>
#include <vector>

template <typename Op>
concept Combines = requires(const Op op, float a, float b) {
    { op(a, b) } -> std::same_as<float>;
};

struct Larger {
    __device__ float operator()(float a, float b) const { return a != a || a > b ? a : b; }
};
struct Smaller {
    __device__ float operator()(float a, float b) const { return a != a || a < b ? a : b; }
};
struct Times {
    __device__ float operator()(float a, float b) const { return a * b; }
};

template <Combines Op>
__global__ void reduce_rows(const float* __restrict__ x, float* __restrict__ out, int rows, int columns, Op op) {
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
        const float* from = x + static_cast<size_t>(row) * columns;
        float v = from[0];
        for (int c = 1; c < columns; ++c) v = op(v, from[c]);
        out[row] = v;
    }
}

template <Combines Op>
torch::Tensor reduced(const torch::Tensor& x, Op op, c10::cuda::CUDAStream stream) {
    const int rows = x.size(0), columns = x.size(1), blocks = (rows + 31) / 32;
    auto out = torch::empty({rows}, x.options());
    reduce_rows<<<blocks, 32, 0, stream>>>(x.data_ptr<float>(), out.data_ptr<float>(), rows, columns, op);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    // Its memory is of the caller's stream.
    c10::cuda::CUDACachingAllocator::recordStream(out.storage().data_ptr(), stream);
    return out;
}

std::vector<torch::Tensor> row_extremes(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2 && x.size(0) > 0 && x.size(1) > 0, "rows with elements expected");
    x = x.contiguous();
    auto main = at::cuda::getCurrentCUDAStream();
    auto first = at::cuda::getStreamFromPool(), second = at::cuda::getStreamFromPool();
    at::cuda::CUDAEvent ready, first_done, second_done;
    ready.record(main);
    ready.block(first);
    ready.block(second);
    auto high = reduced(x, Larger{}, first);
    auto low = reduced(x, Smaller{}, second);
    c10::cuda::CUDACachingAllocator::recordStream(x.storage().data_ptr(), first);
    c10::cuda::CUDACachingAllocator::recordStream(x.storage().data_ptr(), second);
    first_done.record(first);
    second_done.record(second);
    auto product = reduced(x, Times{}, main);
    first_done.block(main);
    second_done.block(main);
    return {high, low, product};
}
"""

ext = load_inline(name="w8_three_streams_joined", cpp_sources='std::vector<torch::Tensor> row_extremes(torch::Tensor x);',
                  cuda_sources=cuda_src, functions=['row_extremes'], extra_cuda_cflags=['-O3', '-std=c++20'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        high, low, product = ext.row_extremes(x)
        return high, low, product
