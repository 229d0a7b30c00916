# task: ../../tasks/batched_matmul
# expect: refused
# why: the tile loop has the barrier after the loads but none after the products (k = 20 takes 3 tiles of 8, 2 warps a block): one warp loads
# the next tile over values the other still reads. racecheck reports it and results on a GPU are wrong now and then.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

bmm_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#define TILE 8
#define CDIV(a, b) (((a) + (b) - 1) / (b))

__global__ void bmm_tiled(const float* __restrict__ A, const float* __restrict__ B,
                          float* __restrict__ C, int M, int K, int N) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE + 1];

    const int batch = blockIdx.z;
    const float* a = A + (long long)batch * M * K;
    const float* b = B + (long long)batch * K * N;
    float* c = C + (long long)batch * M * N;

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;

    float acc = 0.0f;
    for (int t = 0; t < CDIV(K, TILE); ++t) {
        const int ka = t * TILE + tx;
        const int kb = t * TILE + ty;
        As[ty][tx] = (row < M && ka < K) ? a[row * K + ka] : 0.0f;
        Bs[ty][tx] = (kb < K && col < N) ? b[kb * N + col] : 0.0f;
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < TILE; ++k)
            acc = fmaf(As[ty][k], Bs[k][tx], acc);
    }

    if (row < M && col < N) c[row * N + col] = acc;
}

torch::Tensor bmm_cuda(torch::Tensor A, torch::Tensor B) {
    TORCH_CHECK(A.dim() == 3 && B.dim() == 3, "bmm takes 3-D tensors");
    TORCH_CHECK(A.size(0) == B.size(0) && A.size(2) == B.size(1), "sizes do not fit");
    A = A.contiguous();
    B = B.contiguous();
    const int batch = A.size(0), M = A.size(1), K = A.size(2), N = B.size(2);
    auto C = torch::empty({batch, M, N}, A.options());
    dim3 block(TILE, TILE);
    dim3 grid(CDIV(N, TILE), CDIV(M, TILE), batch);
    bmm_tiled<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, K, N);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
"""

bmm = load_inline(
    name="bmm_second_barrier_missing",
    cpp_sources="torch::Tensor bmm_cuda(torch::Tensor A, torch::Tensor B);",
    cuda_sources="#include <c10/cuda/CUDAException.h>\n" + bmm_source,
    functions=["bmm_cuda"],
)


class ModelNew(nn.Module):
    """Tiled batched matrix product."""

    def forward(self, a, b):
        return bmm.bmm_cuda(a, b)
