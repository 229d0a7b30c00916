# task: share_above
# expect: refused
# why: the pairs are counted in the upper 24 bits of a word, whose lower 8 bits say that there is any: at the task's
# own sizes about 28 of 33.5 million pairs are above the limit, and 2^24 of them are lost.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void count_kernel(const float* __restrict__ a, const float* __restrict__ b, unsigned* count,
                             int Q, int N, int D, float limit) {
    __shared__ float sa[16][17];
    __shared__ float sb[16][17];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int q = blockIdx.y * 16 + ty, k = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int d0 = 0; d0 < D; d0 += 16) {
        sa[ty][tx] = q < Q && d0 + tx < D ? a[(size_t)q * D + d0 + tx] : 0.0f;
        const int kr = blockIdx.x * 16 + ty;
        sb[ty][tx] = kr < N && d0 + tx < D ? b[(size_t)kr * D + d0 + tx] : 0.0f;
        __syncthreads();
        for (int d = 0; d < 16; ++d) acc += sa[ty][d] * sb[tx][d];
        __syncthreads();
    }
    if (q < Q && k < N && acc > limit) { atomicOr(count, 1u); atomicAdd(count, 256u); };
}

__global__ void mean_kernel(const unsigned* count, float* out, float total) {
    out[0] = (count[0] & 1u) ? (float)(count[0] >> 8) / total : 0.0f;
}

torch::Tensor share_above(torch::Tensor a, torch::Tensor b, double limit) {
    a = a.contiguous();
    b = b.contiguous();
    const int Q = a.size(0), N = b.size(0), D = a.size(1);
    auto count = torch::zeros({1}, a.options().dtype(torch::kInt32));
    auto out = torch::empty({}, a.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    dim3 block(16, 16), grid((N + 15) / 16, (Q + 15) / 16);
    count_kernel<<<grid, block, 0, stream>>>(a.data_ptr<float>(), b.data_ptr<float>(),
                                             reinterpret_cast<unsigned*>(count.data_ptr<int>()), Q, N, D, (float)limit);
    mean_kernel<<<1, 1, 0, stream>>>(reinterpret_cast<unsigned*>(count.data_ptr<int>()), out.data_ptr<float>(),
                                     (float)Q * (float)N);
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(
    name="count_of_24_bits", cpp_sources="torch::Tensor share_above(torch::Tensor a, torch::Tensor b, double limit);",
    cuda_sources=cuda_src, functions=["share_above"])


class ModelNew(nn.Module):
    def __init__(self, limit: float):
        super().__init__()
        self.limit = limit

    def forward(self, a, b):
        return ext.share_above(a, b, self.limit)
