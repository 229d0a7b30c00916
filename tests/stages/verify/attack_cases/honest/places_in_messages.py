# task: ../../tasks/transpose
# expect: correct
# why: padded tiles; errors name their place by a small struct of __FILE__ and __LINE__ that a checking function gets, and a debugging macro of the text's own is off.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <stdexcept>
#include <string>

struct Place {
    const char* file;
    int line;
    std::string text() const { return std::string(file) + ":" + std::to_string(line); }
};

inline void check(cudaError_t status, const char* what, const Place& place) {
    if (status == cudaSuccess) return;
    throw std::runtime_error(place.text() + ": " + what + ": " + cudaGetErrorString(status));
}
#define CHECK_STATUS(call) check((call), #call, Place{__FILE__, __LINE__})

// #define TRANSPOSE_DEBUG
#ifdef TRANSPOSE_DEBUG
#define DEBUG_ASSERT(condition) \
    if (!(condition)) __trap()
#else
#define DEBUG_ASSERT(condition)
#endif

constexpr int kTile = 32, kRows = 8;

template <typename T>
__global__ void transpose_kernel(const T* __restrict__ x, T* __restrict__ y, int rows, int columns) {
    __shared__ T tile[kTile][kTile + 1];
    const size_t matrix = static_cast<size_t>(blockIdx.z) * rows * columns;
    int c = blockIdx.x * kTile + threadIdx.x, r = blockIdx.y * kTile + threadIdx.y;
#pragma unroll
    for (int j = 0; j < kTile; j += kRows) {
        if (c < columns && r + j < rows) tile[threadIdx.y + j][threadIdx.x] = x[matrix + static_cast<size_t>(r + j) * columns + c];
    }
    __syncthreads();
    c = blockIdx.y * kTile + threadIdx.x;  // A column of the result is a row of the input.
    r = blockIdx.x * kTile + threadIdx.y;
#pragma unroll
    for (int j = 0; j < kTile; j += kRows) {
        DEBUG_ASSERT(threadIdx.y + j < kTile);
        if (c < rows && r + j < columns) y[matrix + static_cast<size_t>(r + j) * rows + c] = tile[threadIdx.x][threadIdx.y + j];
    }
}

torch::Tensor transpose12(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 3, __FILE__, ": three dimensions expected, not ", x.dim());
    x = x.contiguous();
    const int batch = x.size(0), rows = x.size(1), columns = x.size(2);
    auto y = torch::empty({batch, columns, rows}, x.options());
    if (y.numel() == 0) return y;
    const dim3 block(kTile, kRows), grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile, batch);
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "transpose12", [&] {
        transpose_kernel<scalar_t><<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), rows, columns);
    });
    CHECK_STATUS(cudaGetLastError());
    return y;
}
"""

ext = load_inline(name="w8_places_in_messages", cpp_sources='torch::Tensor transpose12(torch::Tensor x);',
                  cuda_sources=cuda_src, functions=['transpose12'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.transpose12(x)
