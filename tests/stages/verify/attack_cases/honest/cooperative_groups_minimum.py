# task: row_minimum
# expect: correct
# why: style: cooperative groups: a block walks over its row, tiles of a warp combine (value, index) by shfl_down with
#      the smaller index for ties, block.sync(); dispatched over float and double; results as std::tuple.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cooperative_groups.h>
#include <tuple>

namespace cg = cooperative_groups;

template <typename T>
__device__ inline void take_smaller(T& value, int& index, T other, int other_index) {
    if (other < value || (other == value && other_index < index)) {
        value = other;
        index = other_index;
    }
}

template <typename T, int kThreads>
__global__ void row_min_kernel(const T* __restrict__ x, T* __restrict__ values, int64_t* __restrict__ indices, int cols) {
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    __shared__ T best_value[kThreads / 32];
    __shared__ int best_index[kThreads / 32];

    const T* row = x + static_cast<size_t>(blockIdx.x) * cols;
    // Every thread starts with an element of the row, so no identity is needed.
    int index = min(static_cast<int>(block.thread_rank()), cols - 1);
    T value = row[index];
    for (int c = block.thread_rank() + kThreads; c < cols; c += kThreads) take_smaller(value, index, row[c], c);

    for (int offset = warp.size() / 2; offset > 0; offset /= 2) {
        const T other = warp.shfl_down(value, offset);
        const int other_index = warp.shfl_down(index, offset);
        take_smaller(value, index, other, other_index);
    }
    if (warp.thread_rank() == 0) {
        best_value[warp.meta_group_rank()] = value;
        best_index[warp.meta_group_rank()] = index;
    }
    block.sync();
    if (block.thread_rank() == 0) {
        for (int w = 1; w < kThreads / 32; ++w) take_smaller(value, index, best_value[w], best_index[w]);
        values[blockIdx.x] = value;
        indices[blockIdx.x] = index;
    }
}

std::tuple<torch::Tensor, torch::Tensor> row_min(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2 && x.size(1) > 0, "expected a matrix with columns");
    auto values = torch::empty({x.size(0)}, x.options());
    auto indices = torch::empty({x.size(0)}, x.options().dtype(torch::kLong));
    const int rows = x.size(0), cols = x.size(1);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "row_min", [&] {
        row_min_kernel<scalar_t, 128><<<rows, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<scalar_t>(), values.data_ptr<scalar_t>(), indices.data_ptr<int64_t>(), cols);
    });
    return std::make_tuple(values, indices);
}
"""

cpp_source = """
#include <tuple>
std::tuple<torch::Tensor, torch::Tensor> row_min(torch::Tensor x);
"""

ext = load_inline(name="row_min_cg", cpp_sources=cpp_source, cuda_sources=cuda_source, functions=["row_min"])


class ModelNew(nn.Module):
    def __init__(self):
        super(ModelNew, self).__init__()

    def forward(self, x):
        values, indices = ext.row_min(x.contiguous())
        return values, indices
