# task: layernorm_half
# expect: correct
# why: a tile of 32 threads (cooperative groups) per row, pairs of halves where the row length is even, float sums in
# two passes, intrinsics in place of the operators of halves that torch switches off.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <cooperative_groups.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

template <typename Tile>
__device__ float tile_sum(const Tile& tile, float v) {
    for (int o = tile.size() / 2; o > 0; o /= 2) v += tile.shfl_xor(v, o);
    return v;
}

__global__ void layernorm_kernel(const __half* __restrict__ x, const __half* __restrict__ weight,
                                 const __half* __restrict__ bias, __half* __restrict__ out, int rows,
                                 int cols, float eps) {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const int row = blockIdx.x * (blockDim.x / 32) + tile.meta_group_rank();
    if (row >= rows) return;  // All threads of a tile have one row.
    const __half* in = x + (size_t)row * cols;
    __half* to = out + (size_t)row * cols;
    float s = 0.0f;
    for (int c = tile.thread_rank(); c < cols; c += 32) s += __half2float(in[c]);
    const float mean = tile_sum(tile, s) / cols;
    s = 0.0f;
    for (int c = tile.thread_rank(); c < cols; c += 32) {
        const float d = __half2float(in[c]) - mean;
        s += d * d;
    }
    const float scale = rsqrtf(tile_sum(tile, s) / cols + eps);
    if (cols % 2 == 0) {
        const __half2* in2 = reinterpret_cast<const __half2*>(in);
        const __half2* weight2 = reinterpret_cast<const __half2*>(weight);
        const __half2* bias2 = reinterpret_cast<const __half2*>(bias);
        for (int c = tile.thread_rank(); c < cols / 2; c += 32) {
            const float2 v = __half22float2(in2[c]);
            const float2 w = __half22float2(weight2[c]);
            const float2 b = __half22float2(bias2[c]);
            reinterpret_cast<__half2*>(to)[c] = __floats2half2_rn((v.x - mean) * scale * w.x + b.x,
                                                                 (v.y - mean) * scale * w.y + b.y);
        }
    } else {
        for (int c = tile.thread_rank(); c < cols; c += 32) {
            to[c] = __float2half_rn((__half2float(in[c]) - mean) * scale * __half2float(weight[c]) +
                                    __half2float(bias[c]));
        }
    }
}

torch::Tensor layernorm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
    x = x.contiguous();
    // A view may begin at an odd element, where pairs cannot be read.
    if (reinterpret_cast<uintptr_t>(x.data_ptr()) % 4 != 0) x = x.clone();
    TORCH_CHECK(x.scalar_type() == torch::kHalf, "halves are expected");
    auto out = torch::empty_like(x);
    const int cols = x.size(-1), rows = x.numel() / cols;
    const auto half_of = [](const torch::Tensor& t) { return reinterpret_cast<__half*>(t.data_ptr<at::Half>()); };
    layernorm_kernel<<<(rows + 3) / 4, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        half_of(x), half_of(weight), half_of(bias), half_of(out), rows, cols, (float)eps);
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(name="w7h_w_layernorm_tiles", cpp_sources="torch::Tensor layernorm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps);",
                  cuda_sources=cuda_src, functions=["layernorm"])


class ModelNew(nn.Module):
    def __init__(self, features: int):
        super().__init__()
        self.norm = nn.LayerNorm(features).half()

    def forward(self, x):
        return ext.layernorm(x, self.norm.weight.detach(), self.norm.bias.detach(), self.norm.eps)
