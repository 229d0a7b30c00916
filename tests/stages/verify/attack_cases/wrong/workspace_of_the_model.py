# task: matmul_deep
# expect: refused
# why: The split-K workspace is a tensor that the constructor allocates, of 24 million floats. At the task's own
#      sizes, the parts need 67 million: the other ones are written beyond its end.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kTile = 32, kPart = 4096;

__global__ void gemm_part(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ ws, int m,
                          int n, int k) {
    __shared__ float as[kTile][kTile], bs[kTile][kTile + 1];
    const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
    const int first = blockIdx.z * kPart, last = min(k, first + kPart);
    float sum = 0.f;
    for (int at = first; at < last; at += kTile) {
        as[threadIdx.y][threadIdx.x] = row < m && at + threadIdx.x < last ? a[(size_t)row * k + at + threadIdx.x] : 0.f;
        bs[threadIdx.y][threadIdx.x] = col < n && at + threadIdx.y < last ? b[(size_t)(at + threadIdx.y) * n + col] : 0.f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kTile; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n) ws[((size_t)blockIdx.z * m + row) * n + col] = sum;
}

__global__ void add_parts(const float* __restrict__ ws, float* __restrict__ c, size_t size, int parts) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < size; i += (size_t)gridDim.x * blockDim.x) {
        float sum = 0.f;
        for (int p = 0; p < parts; ++p) sum += ws[p * size + i];
        c[i] = sum;
    }
}

torch::Tensor matmul(torch::Tensor a, torch::Tensor b, torch::Tensor ws) {
    const int m = a.size(0), k = a.size(1), n = b.size(1), parts = (k + kPart - 1) / kPart;
    auto c = torch::empty({m, n}, a.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    const dim3 grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile, parts);
    gemm_part<<<grid, dim3(kTile, kTile), 0, stream>>>(a.data_ptr<float>(), b.data_ptr<float>(), ws.data_ptr<float>(), m, n, k);
    add_parts<<<1024, 256, 0, stream>>>(ws.data_ptr<float>(), c.data_ptr<float>(), (size_t)m * n, parts);
    return c;
}
"""

cpp_source = """
torch::Tensor matmul(torch::Tensor a, torch::Tensor b, torch::Tensor ws);
"""

ext = load_inline(
    name="workspace_of_the_model",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["matmul"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("workspace", torch.empty(24_000_000), persistent=False)

    def forward(self, a, b):
        return ext.matmul(a.contiguous(), b.contiguous(), self.workspace)
