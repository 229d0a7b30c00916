# task: deep_k_matmul_relu
# expect: refused
# why: The split-K workspace is zeroed only when it is allocated, in the first call; with more than one part of K
#      the blocks add to it with atomicAdd, so the second call's sums start from the first call's. The first call
#      is right; every later call at the task's K = 16384 (16 parts) returns relu(sum of all products so far). With
#      K <= 1024 there is one part, which stores.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kTile = 16;
constexpr int kSplit = 1024;   // elements of K per block

__device__ __forceinline__ float tile_product(const float* __restrict__ a, const float* __restrict__ b,
                                              int M, int N, int K, int k_begin, int k_end, int row, int col) {
    __shared__ float sa[kTile][kTile];
    __shared__ float sb[kTile][kTile + 1];
    float acc = 0.0f;
    for (int k0 = k_begin; k0 < k_end; k0 += kTile) {
        const int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
        sa[threadIdx.y][threadIdx.x] = row < M && ka < k_end ? a[(size_t)row * K + ka] : 0.0f;
        sb[threadIdx.y][threadIdx.x] = col < N && kb < k_end ? b[(size_t)kb * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < kTile; ++k) acc += sa[threadIdx.y][k] * sb[k][threadIdx.x];
        __syncthreads();
    }
    return acc;
}

__global__ void matmul_splitk(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ acc_out,
                              int M, int N, int K) {
    const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
    const int k_begin = blockIdx.z * kSplit, k_end = min(k_begin + kSplit, K);
    const float acc = tile_product(a, b, M, N, K, k_begin, k_end, row, col);
    if (row < M && col < N) {
        if (gridDim.z == 1) {
            acc_out[(size_t)row * N + col] = acc;
        } else {
            atomicAdd(&acc_out[(size_t)row * N + col], acc);
        }
    }
}

__global__ void relu_from_workspace(const float* __restrict__ ws, float* __restrict__ c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = fmaxf(ws[i], 0.0f);
}

torch::Tensor matmul_relu(torch::Tensor a, torch::Tensor b) {
    const int M = a.size(0), K = a.size(1), N = b.size(1);
    // The accumulators are kept between calls to avoid an allocation and a memset per call.
    static torch::Tensor workspace;
    if (!workspace.defined() || workspace.numel() < (int64_t)M * N) {
        workspace = torch::zeros({(int64_t)M * N}, a.options());
    }
    auto c = torch::empty({M, N}, a.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    dim3 block(kTile, kTile);
    dim3 grid((N + kTile - 1) / kTile, (M + kTile - 1) / kTile, (K + kSplit - 1) / kSplit);
    matmul_splitk<<<grid, block, 0, stream>>>(a.data_ptr<float>(), b.data_ptr<float>(),
                                              workspace.data_ptr<float>(), M, N, K);
    relu_from_workspace<<<(M * N + 255) / 256, 256, 0, stream>>>(workspace.data_ptr<float>(),
                                                                 c.data_ptr<float>(), M * N);
    return c;
}
"""

cpp_source = """
torch::Tensor matmul_relu(torch::Tensor a, torch::Tensor b);
"""

ops = load_inline(
    name="splitk_workspace",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["matmul_relu"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return ops.matmul_relu(a, b)
