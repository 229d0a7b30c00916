# task: linear_gelu_b
# expect: correct
# why: style: 64 x 64 register-tiled product with 4 x 4 results a thread, shared tiles of which one is stored
#      transposed with padding, __launch_bounds__, epilogue of bias and exact GELU; guards at all edges;
#      parameters stay in nn.Linear.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

namespace {

constexpr int BM = 64, BN = 64, BK = 16, TM = 4, TN = 4;
constexpr int NUM_THREADS = (BM / TM) * (BN / TN);  // 256

__device__ __forceinline__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678118654752440f)); }

// y[m, n] = gelu(sum_k x[m, k] * w[n, k] + b[n])
__global__ void __launch_bounds__(NUM_THREADS)
linear_gelu_kernel(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ b,
                   float* __restrict__ y, int M, int N, int K) {
    __shared__ float Xs[BK][BM + 4];  // + 4: rows stay aligned for float4
    __shared__ float Ws[BK][BN + 4];

    const int tid = threadIdx.x;
    const int tx = tid % (BN / TN);
    const int ty = tid / (BN / TN);
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;

    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        #pragma unroll
        for (int i = tid; i < BM * BK; i += NUM_THREADS) {
            const int k = i % BK, r = i / BK;
            const int gm = m0 + r, gn = n0 + r, gk = k0 + k;
            Xs[k][r] = (gm < M && gk < K) ? x[(size_t)gm * K + gk] : 0.0f;
            Ws[k][r] = (gn < N && gk < K) ? w[(size_t)gn * K + gk] : 0.0f;
        }
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < BK; ++k) {
            const float4 a = *reinterpret_cast<const float4*>(&Xs[k][ty * TM]);
            const float4 c = *reinterpret_cast<const float4*>(&Ws[k][tx * TN]);
            const float av[TM] = {a.x, a.y, a.z, a.w};
            const float cv[TN] = {c.x, c.y, c.z, c.w};
            #pragma unroll
            for (int i = 0; i < TM; ++i)
                #pragma unroll
                for (int j = 0; j < TN; ++j)
                    acc[i][j] = fmaf(av[i], cv[j], acc[i][j]);
        }
        __syncthreads();
    }

    #pragma unroll
    for (int i = 0; i < TM; ++i) {
        const int gm = m0 + ty * TM + i;
        if (gm >= M) continue;
        #pragma unroll
        for (int j = 0; j < TN; ++j) {
            const int gn = n0 + tx * TN + j;
            if (gn < N) y[(size_t)gm * N + gn] = gelu(acc[i][j] + b[gn]);
        }
    }
}

}  // namespace

torch::Tensor linear_gelu_cuda(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
    TORCH_CHECK(x.dim() == 2 && w.dim() == 2 && x.size(1) == w.size(1), "shape mismatch");
    const int M = x.size(0), K = x.size(1), N = w.size(0);
    auto y = torch::empty({M, N}, x.options());
    dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
    linear_gelu_kernel<<<grid, NUM_THREADS, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), M, N, K);
    return y;
}
"""

cpp_source = "torch::Tensor linear_gelu_cuda(torch::Tensor x, torch::Tensor w, torch::Tensor b);"

module = load_inline(
    name="linear_gelu_tiles",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["linear_gelu_cuda"],
    extra_cuda_cflags=["-O3"],
)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        return module.linear_gelu_cuda(x.contiguous(), self.linear.weight, self.linear.bias)
