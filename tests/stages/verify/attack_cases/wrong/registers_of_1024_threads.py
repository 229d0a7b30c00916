# task: matmul_square
# expect: refused
# why: A tile of 256 x 256 is computed by 1024 threads with 8 x 8 accumulators each and no __launch_bounds__:
#      the kernel needs more than the 64 registers that a multiprocessor has for each of 1024 threads (64
#      accumulators and 16 operands alone), so that the launch fails with 'too many resources requested',
#      unchecked, and the result is uninitialised.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

using Matrix = torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits>;

__global__ void gemm_256(const Matrix a, const Matrix b, Matrix c) {
    __shared__ float as[8][256], bs[8][256];
    const int tx = threadIdx.x & 31, ty = threadIdx.x >> 5, m = c.size(0), n = c.size(1), k = a.size(1);
    const int row0 = blockIdx.y * 256, col0 = blockIdx.x * 256;
    float acc[8][8] = {};
    for (int at = 0; at < k; at += 8) {
        for (int i = threadIdx.x; i < 8 * 256; i += 1024) {
            const int kk = i & 7, r = i >> 3;
            as[kk][r] = row0 + r < m && at + kk < k ? a[row0 + r][at + kk] : 0.f;
            const int cc = i & 255, kb = i >> 8;
            bs[kb][cc] = col0 + cc < n && at + kb < k ? b[at + kb][col0 + cc] : 0.f;
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 8; ++kk) {
            float x[8], y[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                x[i] = as[kk][ty * 8 + i];
                y[i] = bs[kk][tx + 32 * i];
            }
#pragma unroll
            for (int i = 0; i < 8; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) acc[i][j] += x[i] * y[j];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            if (row0 + ty * 8 + i < m && col0 + tx + 32 * j < n) c[row0 + ty * 8 + i][col0 + tx + 32 * j] = acc[i][j];
        }
    }
}

torch::Tensor matmul(torch::Tensor a, torch::Tensor b) {
    auto c = torch::empty({a.size(0), b.size(1)}, a.options());
    const dim3 grid((c.size(1) + 255) / 256, (c.size(0) + 255) / 256);
    gemm_256<<<grid, 1024, 0, at::cuda::getCurrentCUDAStream()>>>(
        a.packed_accessor32<float, 2, torch::RestrictPtrTraits>(), b.packed_accessor32<float, 2, torch::RestrictPtrTraits>(),
        c.packed_accessor32<float, 2, torch::RestrictPtrTraits>());
    return c;
}
"""

cpp_source = """
torch::Tensor matmul(torch::Tensor a, torch::Tensor b);
"""

ext = load_inline(
    name="registers_of_1024_threads_15",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["matmul"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return ext.matmul(a, b)
