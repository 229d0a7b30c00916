# task: score_histogram
# expect: refused
# why: two 16-bit counters share a word of shared memory; a block of the 32 persistent ones counts 524288 scores
# at the task's own sizes, of which one in seven is in each bin: the low counter (75000) overflows 65535 into
# its neighbour. Right for small sizes; wrong at the own sizes in every call.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>

constexpr int T = 16;

__global__ void histogram_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                 int* __restrict__ counts, int Q, int N, int D) {
    __shared__ unsigned packed[4];  // Bins 2 i (low half) and 2 i + 1 (high half).
    __shared__ float sa[T][T + 1];
    __shared__ float sb[T][T + 1];
    const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * T + tx;
    if (tid < 4) packed[tid] = 0;
    __syncthreads();
    const int tiles_x = (N + T - 1) / T, tiles_y = (Q + T - 1) / T;
    for (int tile = blockIdx.x; tile < tiles_x * tiles_y; tile += gridDim.x) {
        const int q0 = tile / tiles_x * T, k0 = tile % tiles_x * T;
        float acc = 0.0f;
        for (int d0 = 0; d0 < D; d0 += T) {
            sa[ty][tx] = q0 + ty < Q && d0 + tx < D ? a[(size_t)(q0 + ty) * D + d0 + tx] : 0.0f;
            sb[ty][tx] = k0 + ty < N && d0 + tx < D ? b[(size_t)(k0 + ty) * D + d0 + tx] : 0.0f;
            __syncthreads();
            for (int d = 0; d < T; ++d) acc += sa[ty][d] * sb[tx][d];
            __syncthreads();
        }
        if (q0 + ty < Q && k0 + tx < N) {
            const int bin = (int)fminf(fmaxf(floorf(acc / 4.0f) + 4.0f, 0.0f), 7.0f);
            atomicAdd(&packed[bin >> 1], (bin & 1) ? 65536u : 1u);
        }
    }
    __syncthreads();
    if (tid < 8) {
        const unsigned word = packed[tid >> 1];
        const int count = (tid & 1) ? (int)(word >> 16) : (int)(word & 0xffffu);
        if (count > 0) atomicAdd(&counts[tid], count);
    }
}

__global__ void share_kernel(const int* __restrict__ counts, float* __restrict__ out, float total) {
    out[threadIdx.x] = (float)counts[threadIdx.x] / total;
}

torch::Tensor score_histogram(torch::Tensor a, torch::Tensor b) {
    a = a.contiguous();
    b = b.contiguous();
    const int Q = a.size(0), N = b.size(0), D = a.size(1);
    auto counts = torch::zeros({8}, a.options().dtype(torch::kInt32));
    auto out = torch::empty({8}, a.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    histogram_kernel<<<32, dim3(T, T), 0, stream>>>(a.data_ptr<float>(), b.data_ptr<float>(),
                                                    counts.data_ptr<int>(), Q, N, D);
    share_kernel<<<1, 8, 0, stream>>>(counts.data_ptr<int>(), out.data_ptr<float>(),
                                      (float)Q * (float)N);
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(
    name="w7_packed", cpp_sources="torch::Tensor score_histogram(torch::Tensor a, torch::Tensor b);",
    cuda_sources=cuda_src, functions=["score_histogram"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return ext.score_histogram(a, b)
