# task: projection_with_bias
# expect: refused
# why: Split-K with atomics, in which each of the 8 parts of K adds the bias to its sum: the bias counts 8
#      times. It shows as soon as the bias is not the zero that it starts with (after one step of training,
#      or load_state_dict()); with the initial parameters the result is right.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kTile = 16, kParts = 8;

__global__ void linear_part(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ bias, float* y,
                            int m, int n, int k) {
    __shared__ float xs[kTile][kTile + 1], ws[kTile][kTile + 1];
    const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
    const int part = (k + kParts - 1) / kParts, first = blockIdx.z * part, last = min(k, first + part);
    float sum = col < n ? bias[col] : 0.f;
    for (int at = first; at < last; at += kTile) {
        const int kk = at + threadIdx.x, other = blockIdx.x * kTile + threadIdx.y;
        xs[threadIdx.y][threadIdx.x] = row < m && kk < last ? x[row * k + kk] : 0.f;
        ws[threadIdx.y][threadIdx.x] = other < n && kk < last ? w[other * k + kk] : 0.f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kTile; ++i) sum += xs[threadIdx.y][i] * ws[threadIdx.x][i];
        __syncthreads();
    }
    if (row < m && col < n) atomicAdd(&y[row * n + col], sum);
}

torch::Tensor linear(torch::Tensor x, torch::Tensor w, torch::Tensor bias) {
    const int m = x.size(0), k = x.size(1), n = w.size(0);
    auto y = torch::zeros({m, n}, x.options());
    linear_part<<<dim3((n + 15) / 16, (m + 15) / 16, kParts), dim3(kTile, kTile), 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), w.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), m, n, k);
    return y;
}
"""

cpp_source = """
torch::Tensor linear(torch::Tensor x, torch::Tensor w, torch::Tensor bias);
"""

ext = load_inline(
    name="bias_added_by_every_part_29",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["linear"],
)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_features, in_features) * 0.02)
        self.bias = nn.Parameter(torch.zeros(out_features))

    def forward(self, x):
        return ext.linear(x.contiguous(), self.weight, self.bias)
