# task: row_amax_wide
# expect: refused
# why: Rows longer than 4096 are split into blocks that combine with an integer atomicMax on the float's bits.
#      Negative floats compare in reverse as integers, and the initial -inf (0xFF800000 = -8388608 as int) is above
#      all of them: a row whose block maxima are all negative returns -inf. Rows with a positive maximum (randn)
#      are right; rows of up to 4096 elements have one block, which stores.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kChunk = 4096;

__global__ void fill_lowest(float* __restrict__ out, int rows) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) out[r] = -INFINITY;
}

__global__ void amax_kernel(const float* __restrict__ x, float* out, int cols) {
    __shared__ float part[8];
    const int row = blockIdx.y;
    const int begin = blockIdx.x * kChunk, end = min(begin + kChunk, cols);
    const float* p = x + (size_t)row * cols;
    float m = -INFINITY;
    for (int c = begin + threadIdx.x; c < end; c += blockDim.x) m = fmaxf(m, p[c]);
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = m;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) m = fmaxf(m, part[w]);
        if (gridDim.x == 1) {
            out[row] = m;
        } else {
            atomicMax(reinterpret_cast<int*>(&out[row]), __float_as_int(m));
        }
    }
}

torch::Tensor row_amax(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1);
    auto out = torch::empty({rows}, x.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    fill_lowest<<<(rows + 127) / 128, 128, 0, stream>>>(out.data_ptr<float>(), rows);
    dim3 grid((cols + kChunk - 1) / kChunk, rows);
    amax_kernel<<<grid, 256, 0, stream>>>(x.data_ptr<float>(), out.data_ptr<float>(), cols);
    return out;
}
"""

cpp_source = """
torch::Tensor row_amax(torch::Tensor x);
"""

ops = load_inline(
    name="row_amax_atomic",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["row_amax"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.row_amax(x)
