# task: distances
# expect: refused
# why: The distance is sqrt(|q|^2 + |c|^2 - 2 q.c) without a maximum with 0: where a query equals a code (or
#      nearly), the three sums cancel, and as they are added in different orders the rest may be negative (NaN)
#      or some 1e-5 (a distance of 3e-3 instead of 0).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void squared_norms(const float* __restrict__ x, float* __restrict__ out, int rows, int width) {
    const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    float sum = 0.f;
    for (int c = lane; c < width; c += 32) sum += x[row * width + c] * x[row * width + c];
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (lane == 0) out[row] = sum;
}

__global__ void pair_distances(const float* __restrict__ q, const float* __restrict__ c, const float* __restrict__ qq,
                               const float* __restrict__ cc, float* __restrict__ out, int n, int m, int width) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * m) return;
    const float *a = q + i / m * width, *b = c + i % m * width;
    float dot = 0.f;
    for (int k = 0; k < width; ++k) dot += a[k] * b[k];
    out[i] = sqrtf(qq[i / m] + cc[i % m] - 2.f * dot);
}

torch::Tensor distances(torch::Tensor q, torch::Tensor c) {
    const int n = q.size(0), m = c.size(0), width = q.size(1);
    auto qq = torch::empty({n}, q.options()), cc = torch::empty({m}, q.options()), out = torch::empty({n, m}, q.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    squared_norms<<<(n + 7) / 8, 256, 0, stream>>>(q.data_ptr<float>(), qq.data_ptr<float>(), n, width);
    squared_norms<<<(m + 7) / 8, 256, 0, stream>>>(c.data_ptr<float>(), cc.data_ptr<float>(), m, width);
    pair_distances<<<(n * m + 255) / 256, 256, 0, stream>>>(q.data_ptr<float>(), c.data_ptr<float>(), qq.data_ptr<float>(),
                                                           cc.data_ptr<float>(), out.data_ptr<float>(), n, m, width);
    return out;
}
"""

cpp_source = """
torch::Tensor distances(torch::Tensor q, torch::Tensor c);
"""

ext = load_inline(
    name="distance_of_equal_rows_19",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["distances"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, queries, codes):
        return ext.distances(queries.contiguous(), codes.contiguous())
