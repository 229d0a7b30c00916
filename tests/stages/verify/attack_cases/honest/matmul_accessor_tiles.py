# task: matmul_h
# expect: correct
# why: style: the textbook's tiled product with packed accessors, 16 x 16 tiles with zero padding, a macro for
#      ceiling division, the extension built in __init__ under a name from a class attribute.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

matmul_source = """
#include <torch/extension.h>

#define TILE 16
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

using Matrix = torch::PackedTensorAccessor64<float, 2, torch::RestrictPtrTraits>;

__global__ void matmul_kernel(const Matrix A, const Matrix B, Matrix C) {
    __shared__ float tileA[TILE][TILE];
    __shared__ float tileB[TILE][TILE + 1];

    const int64_t M = A.size(0), K = A.size(1), N = B.size(1);
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t row = (int64_t)blockIdx.y * TILE + ty;
    const int64_t col = (int64_t)blockIdx.x * TILE + tx;

    float value = 0.0f;
    for (int64_t t = 0; t < CEIL_DIV(K, TILE); ++t) {
        const int64_t ak = t * TILE + tx;
        const int64_t bk = t * TILE + ty;
        tileA[ty][tx] = (row < M && ak < K) ? A[row][ak] : 0.0f;
        tileB[ty][tx] = (bk < K && col < N) ? B[bk][col] : 0.0f;
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < TILE; ++k) {
            value += tileA[ty][k] * tileB[k][tx];
        }
        __syncthreads();
    }
    if (row < M && col < N) {
        C[row][col] = value;
    }
}

torch::Tensor matmul_cuda(torch::Tensor A, torch::Tensor B) {
    TORCH_CHECK(A.size(1) == B.size(0), "inner dimensions differ: ", A.size(1), " and ", B.size(0));
    auto C = torch::zeros({A.size(0), B.size(1)}, A.options());
    dim3 threads(TILE, TILE);
    dim3 blocks(CEIL_DIV(B.size(1), TILE), CEIL_DIV(A.size(0), TILE));
    matmul_kernel<<<blocks, threads>>>(
        A.packed_accessor64<float, 2, torch::RestrictPtrTraits>(),
        B.packed_accessor64<float, 2, torch::RestrictPtrTraits>(),
        C.packed_accessor64<float, 2, torch::RestrictPtrTraits>());
    cudaError_t err = cudaGetLastError();
    TORCH_CHECK(err == cudaSuccess, "matmul_kernel failed: ", cudaGetErrorString(err));
    return C;
}
"""


class ModelNew(nn.Module):
    EXTENSION = "matmul_accessor_tiles"

    def __init__(self):
        super().__init__()
        self.ops = load_inline(
            name=self.EXTENSION,
            cpp_sources="torch::Tensor matmul_cuda(torch::Tensor A, torch::Tensor B);",
            cuda_sources=matmul_source,
            functions=["matmul_cuda"],
            verbose=True,
        )

    def forward(self, a, b):
        return self.ops.matmul_cuda(a, b)
