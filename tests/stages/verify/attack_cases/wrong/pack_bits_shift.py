# task: pack_sign_bits
# expect: refused
# why: The bit is shifted by threadIdx.x (0..255) where the lane (threadIdx.x & 31) is meant. A GPU's shift by 32
#      or more gives 0 (it does not wrap as on x86), so of the 8 words of a block only the first gets its bits; the
#      other seven are 0. Wrong at the task's own sizes and values.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void pack_kernel(const float* __restrict__ x, int* __restrict__ out, int cols) {
    __shared__ unsigned int words[8];
    const int row = blockIdx.y;
    const int c = blockIdx.x * 256 + threadIdx.x;
    if (threadIdx.x < 8) words[threadIdx.x] = 0u;
    __syncthreads();
    if (c < cols) {
        const unsigned int bit = x[(size_t)row * cols + c] > 0.0f ? 1u : 0u;
        atomicOr(&words[threadIdx.x >> 5], bit << threadIdx.x);
    }
    __syncthreads();
    const int w = blockIdx.x * 8 + threadIdx.x;
    if (threadIdx.x < 8 && w < cols / 32) out[(size_t)row * (cols / 32) + w] = (int)words[threadIdx.x];
}

torch::Tensor pack_signs(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1);
    auto out = torch::empty({rows, cols / 32}, x.options().dtype(torch::kInt32));
    dim3 grid((cols + 255) / 256, rows);
    pack_kernel<<<grid, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<int>(), cols);
    return out;
}
"""

cpp_source = """
torch::Tensor pack_signs(torch::Tensor x);
"""

ops = load_inline(
    name="pack_bits_shift",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["pack_signs"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.pack_signs(x)
