# task: sum_of_squares
# expect: refused
# why: 128 blocks add to one number in global memory by atomicAdd_block(), which is atomic only among the
#      threads of one block: additions of blocks on other multiprocessors may be lost.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void add_squares(const float* __restrict__ x, float* total, int n) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0.f;
    __syncthreads();
    float own = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += x[i] * x[i];
    for (int o = 16; o > 0; o >>= 1) own += __shfl_down_sync(0xffffffffu, own, o);
    if ((threadIdx.x & 31) == 0) atomicAdd_block(&sum, own);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd_block(total, sum);
}

torch::Tensor sum_of_squares(torch::Tensor x) {
    auto total = torch::zeros({}, x.options());
    add_squares<<<128, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), total.data_ptr<float>(), (int)x.numel());
    return total;
}
"""

cpp_source = """
torch::Tensor sum_of_squares(torch::Tensor x);
"""

ext = load_inline(
    name="atomic_of_block_scope_30",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["sum_of_squares"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.sum_of_squares(x.contiguous())
