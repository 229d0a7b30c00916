# task: long_k_linear_relu
# expect: correct
# why: style: split-K whose parts are added by atomicAdd to a tensor of zeros, followed by a second launch that adds
#      the bias and applies ReLU in place; macros for checks of the input as in PyTorch's extension tutorial.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#define CHECK_CUDA(x) TORCH_CHECK(x.is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x) CHECK_CUDA(x); CHECK_CONTIGUOUS(x)
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

#define TILE 32
#define SPLIT 512

__global__ void partial_linear(const float* __restrict__ x, const float* __restrict__ w, float* y, int M, int N, int K) {
    __shared__ float xs[TILE][TILE + 1];
    __shared__ float ws[TILE][TILE + 1];
    const int n = blockIdx.x * TILE + threadIdx.x;
    const int k_begin = blockIdx.z * SPLIT;
    const int k_end = min(k_begin + SPLIT, K);
    float acc[TILE / 8] = {0.f, 0.f, 0.f, 0.f};

    for (int k0 = k_begin; k0 < k_end; k0 += TILE) {
        const int k = k0 + threadIdx.x;
        #pragma unroll
        for (int i = 0; i < TILE; i += 8) {
            const int m_load = blockIdx.y * TILE + threadIdx.y + i;
            const int n_load = blockIdx.x * TILE + threadIdx.y + i;
            xs[threadIdx.y + i][threadIdx.x] = (m_load < M && k < k_end) ? x[m_load * K + k] : 0.f;
            ws[threadIdx.y + i][threadIdx.x] = (n_load < N && k < k_end) ? w[n_load * K + k] : 0.f;
        }
        __syncthreads();
        #pragma unroll
        for (int kk = 0; kk < TILE; ++kk) {
            const float wv = ws[threadIdx.x][kk];
            #pragma unroll
            for (int i = 0; i < TILE / 8; ++i) acc[i] += xs[threadIdx.y + 8 * i][kk] * wv;
        }
        __syncthreads();
    }
    if (n < N) {
        #pragma unroll
        for (int i = 0; i < TILE / 8; ++i) {
            const int m = blockIdx.y * TILE + threadIdx.y + 8 * i;
            if (m < M) atomicAdd(y + m * N + n, acc[i]);
        }
    }
}

__global__ void bias_relu_(float* y, const float* __restrict__ bias, int total, int N) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < total) {
        const float v = y[i] + bias[i % N];
        y[i] = v > 0.f ? v : 0.f;
    }
}

torch::Tensor linear_relu(torch::Tensor x, torch::Tensor w, torch::Tensor bias) {
    CHECK_INPUT(x);
    CHECK_INPUT(w);
    CHECK_INPUT(bias);
    const int M = x.size(0), K = x.size(1), N = w.size(0);
    auto y = torch::zeros({M, N}, x.options());
    cudaStream_t stream = at::cuda::getCurrentCUDAStream().stream();
    dim3 block(TILE, 8);
    dim3 grid(CEIL_DIV(N, TILE), CEIL_DIV(M, TILE), CEIL_DIV(K, SPLIT));
    partial_linear<<<grid, block, 0, stream>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), M, N, K);
    bias_relu_<<<CEIL_DIV(M * N, 256), 256, 0, stream>>>(y.data_ptr<float>(), bias.data_ptr<float>(), M * N, N);
    return y;
}
"""

ops = load_inline(
    name="split_k_linear_relu",
    cpp_sources="torch::Tensor linear_relu(torch::Tensor x, torch::Tensor w, torch::Tensor bias);",
    cuda_sources=src,
    functions=["linear_relu"],
    with_cuda=True,
)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)

    def forward(self, x):
        return ops.linear_relu(x.contiguous(), self.fc.weight, self.fc.bias)
