# task: ../../tasks/softmax
# expect: refused
# why: the kernel gets one tensor as const __restrict__ input and as __restrict__ output and reads its exponentials back through the input: nvcc keeps the first load's value in a register, so sums are of logits.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
// In place: out may be in.
__global__ void softmax_kernel(const float* __restrict__ in, float* __restrict__ out, int dim) {
    __shared__ float scratch[8];
    const float* from = in + blockIdx.x * dim;
    float* to = out + blockIdx.x * dim;
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float m = t < dim ? from[t] : -INFINITY;
    for (int o = 16; o > 0; o /= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    if (lane == 0) scratch[warp] = m;
    __syncthreads();
    m = scratch[0];
    for (int w = 1; w < (int)blockDim.x / 32; ++w) m = fmaxf(m, scratch[w]);
    __syncthreads();
    if (t < dim) to[t] = expf(from[t] - m);
    float s = t < dim ? from[t] : 0.0f;  // The exponential that has just been stored.
    for (int o = 16; o > 0; o /= 2) s += __shfl_xor_sync(0xffffffffu, s, o);
    if (lane == 0) scratch[warp] = s;
    __syncthreads();
    s = 0.0f;
    for (int w = 0; w < (int)blockDim.x / 32; ++w) s += scratch[w];
    if (t < dim) to[t] = to[t] / s;
}

torch::Tensor softmax_rows(torch::Tensor x) {
    const int rows = x.size(0), dim = x.size(1), threads = (dim + 31) / 32 * 32;
    TORCH_CHECK(threads <= 256, "a thread for each element of a row, up to 256");
    auto out = x.clone();
    softmax_kernel<<<rows, threads, 0, at::cuda::getCurrentCUDAStream()>>>(out.data_ptr<float>(), out.data_ptr<float>(),
                                                                           dim);
    return out;
}
"""

ext = load_inline(name="w8_restrict_in_place", cpp_sources='torch::Tensor softmax_rows(torch::Tensor x);',
                  cuda_sources=cuda_src, functions=['softmax_rows'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.softmax_rows(x)
