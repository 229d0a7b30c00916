# task: layer_norm_h
# expect: correct
# why: style: blocks walk over rows and prefetch the next one with cooperative_groups::memcpy_async and
#      wait_prior (double buffering); sums in double by cg::reduce.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>

void layer_norm_rows(torch::Tensor out, torch::Tensor x, torch::Tensor weight, torch::Tensor bias, float eps);
"""

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <algorithm>

namespace cg = cooperative_groups;

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;

__device__ double block_sum(const cg::thread_block& block, double value, double* partial) {
    auto warp = cg::tiled_partition<32>(block);
    value = cg::reduce(warp, value, cg::plus<double>());
    if (warp.thread_rank() == 0) partial[warp.meta_group_rank()] = value;
    block.sync();
    double total = 0.0;
    for (int w = 0; w < kWarps; ++w) total += partial[w];
    block.sync();
    return total;
}

__global__ void layer_norm_rows_kernel(float* __restrict__ out, const float* __restrict__ x,
                                       const float* __restrict__ weight,
                                       const float* __restrict__ bias, int rows, int cols, float eps) {
    extern __shared__ __align__(16) float buffers[];  // two rows
    __shared__ double partial[kWarps];
    auto block = cg::this_thread_block();
    const size_t bytes = sizeof(float) * cols;

    int stage = 0;
    int row = blockIdx.x;
    cg::memcpy_async(block, buffers, x + (size_t)row * cols, bytes);
    for (; row < rows; row += gridDim.x) {
        const int next = row + gridDim.x;
        if (next < rows) {
            cg::memcpy_async(block, buffers + (stage ^ 1) * cols, x + (size_t)next * cols, bytes);
            cg::wait_prior<1>(block);
        } else {
            cg::wait(block);
        }
        const float* current = buffers + stage * cols;

        double sum = 0.0;
        for (int c = threadIdx.x; c < cols; c += kThreads) sum += current[c];
        const double mean = block_sum(block, sum, partial) / cols;

        double squares = 0.0;
        for (int c = threadIdx.x; c < cols; c += kThreads) {
            const double d = current[c] - mean;
            squares += d * d;
        }
        const double var = block_sum(block, squares, partial) / cols;
        const float rstd = (float)(1.0 / sqrt(var + (double)eps));

        float* to = out + (size_t)row * cols;
        for (int c = threadIdx.x; c < cols; c += kThreads) {
            to[c] = (float)(current[c] - mean) * rstd * weight[c] + bias[c];
        }
        block.sync();  // the next round copies into this buffer
        stage ^= 1;
    }
}

void layer_norm_rows(torch::Tensor out, torch::Tensor x, torch::Tensor weight, torch::Tensor bias, float eps) {
    const int cols = x.size(-1);
    const int rows = x.numel() / cols;
    const int blocks = std::min(rows, 512);
    const size_t shared = 2 * sizeof(float) * cols;
    TORCH_CHECK(cols % 4 == 0 && shared <= 48 * 1024, "unsupported row length ", cols);
    layer_norm_rows_kernel<<<blocks, kThreads, shared, at::cuda::getCurrentCUDAStream()>>>(
        out.data_ptr<float>(), x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
        rows, cols, eps);
}
"""


class RowNormalizer:
    """Builds the extension once, when the first model is constructed."""

    _module = None

    @classmethod
    def module(cls):
        if cls._module is None:
            cls._module = load_inline(
                name="layer_norm_cg_async",
                cpp_sources=[cpp_source],
                cuda_sources=[cuda_source],
                functions=["layer_norm_rows"],
            )
        return cls._module


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)
        self._rows = RowNormalizer.module()

    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=x.device)
        self._rows.layer_norm_rows(out, x, self.norm.weight, self.norm.bias, self.norm.eps)
        return out
