# task: ../../tasks/row_extremes
# expect: correct
# why: two concepts, one of which refines the other, say what the functors of a kernel template are; host code asks for
# both where it launches, and all are functions of the device.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAStream.h>
#include <concepts>
#include <vector>

template <typename Op>
concept Combines = requires(const Op op, float a, float b) {
    { op(a, b) } -> std::same_as<float>;
};

template <typename Op>
concept Starts = Combines<Op> && requires(const Op op) {
    { op.first() } -> std::same_as<float>;
};

struct Larger {
    __device__ float first() const { return -INFINITY; }
    __device__ float operator()(float a, float b) const { return a != a || a > b ? a : b; }
};
struct Smaller {
    __device__ float first() const { return INFINITY; }
    __device__ float operator()(float a, float b) const { return a != a || a < b ? a : b; }
};
struct Times {
    __device__ float first() const { return 1.0f; }
    __device__ float operator()(float a, float b) const { return a * b; }
};

template <Starts Op>
__global__ void reduce_rows(const float* __restrict__ x, float* __restrict__ out, int rows, int columns, Op op) {
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
        const float* from = x + static_cast<size_t>(row) * columns;
        float v = op.first();
        for (int c = 0; c < columns; ++c) v = op(v, from[c]);
        out[row] = v;
    }
}

template <Combines Op>
torch::Tensor reduced(const torch::Tensor& x, Op op, c10::cuda::CUDAStream stream) {
    const int rows = x.size(0), columns = x.size(1), blocks = (rows + 31) / 32;
    auto out = torch::empty({rows}, x.options());
    reduce_rows<<<blocks, 32, 0, stream>>>(x.data_ptr<float>(), out.data_ptr<float>(), rows, columns, op);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

std::vector<torch::Tensor> row_extremes(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2 && x.size(0) > 0 && x.size(1) > 0, "rows with elements expected");
    x = x.contiguous();
    auto main = at::cuda::getCurrentCUDAStream();
    auto high = reduced(x, Larger{}, main);
    auto low = reduced(x, Smaller{}, main);
    auto product = reduced(x, Times{}, main);
    return {high, low, product};
}
"""

ext = load_inline(name="refined_concepts", cpp_sources='std::vector<torch::Tensor> row_extremes(torch::Tensor x);',
                  cuda_sources=cuda_src, functions=['row_extremes'], extra_cuda_cflags=['-O3', '-std=c++20'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        high, low, product = ext.row_extremes(x)
        return high, low, product
