# task: ../../tasks/softmax
# expect: correct
# why: a static constexpr table of instantiations is chosen by the row's length; static_asserts ask for traits, and one row is in the registers of one warp.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <array>
#include <limits>
#include <type_traits>

struct Shape {
    int most;
    void (*kernel)(const float*, float*, int, int);
};

template <int kWarps, int kItems>
__global__ void __launch_bounds__(kWarps * 32) softmax_warp(const float* __restrict__ x, float* __restrict__ y, int rows,
                                                            int dim) {
    static_assert(kWarps > 0 && kWarps <= 32 && kItems > 0);
    const int row = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;  // Whole warps.
    const float* from = x + static_cast<size_t>(row) * dim;
    float* to = y + static_cast<size_t>(row) * dim;
    float v[kItems];
    float m = -std::numeric_limits<float>::infinity();
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        const int c = i * 32 + lane;
        v[i] = c < dim ? from[c] : -std::numeric_limits<float>::infinity();
        m = fmaxf(m, v[i]);
    }
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    float s = 0.0f;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        v[i] = expf(v[i] - m);
        s += v[i];
    }
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    const float inverse = 1.0f / s;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        const int c = i * 32 + lane;
        if (c < dim) to[c] = v[i] * inverse;
    }
}

static_assert(std::is_aggregate_v<Shape> && std::is_trivially_copyable_v<Shape> && std::is_standard_layout_v<Shape>,
              "the table lies in the program's constants");
static const std::array<Shape, 5> kShapes = {{{32, softmax_warp<4, 1>},
                                              {64, softmax_warp<4, 2>},
                                              {128, softmax_warp<4, 4>},
                                              {256, softmax_warp<4, 8>},
                                              {1024, softmax_warp<4, 32>}}};

torch::Tensor softmax_rows(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2 && x.scalar_type() == torch::kFloat32, "two dimensions of float32, not ", x.sizes());
    x = x.contiguous();
    const int rows = x.size(0), dim = x.size(1);
    auto y = torch::empty_like(x);
    for (const Shape& shape : kShapes) {
        if (dim > shape.most) continue;
        shape.kernel<<<(rows + 3) / 4, 128, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(),
                                                                                   y.data_ptr<float>(), rows, dim);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
        return y;
    }
    TORCH_CHECK(false, "rows of ", dim, " elements are too long");
    return y;
}
"""

ext = load_inline(name="w8_table_of_row_kernels", cpp_sources='torch::Tensor softmax_rows(torch::Tensor x);',
                  cuda_sources=cuda_src, functions=['softmax_rows'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.softmax_rows(x)
