# task: ../../tasks/masked_softmax
# expect: refused
# why: the doubles of the reduction lie in dynamic shared memory behind 37 floats, at byte 148, which is no multiple of 8: a device raises 'misaligned address'.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
__global__ void masked_softmax_kernel(const float* __restrict__ scores, const bool* __restrict__ mask,
                                      float* __restrict__ out, int queries, int keys) {
    extern __shared__ __align__(16) unsigned char memory[];
    float* values = reinterpret_cast<float*>(memory);
    double* sums = reinterpret_cast<double*>(memory + keys * sizeof(float));  // One of each warp.
    __shared__ float highest[4];
    const int row = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const bool* hidden = mask + (row / queries) * keys;
    float m = -INFINITY;
    for (int k = threadIdx.x; k < keys; k += blockDim.x) {
        values[k] = hidden[k] ? -1e9f : scores[row * keys + k];
        m = fmaxf(m, values[k]);
    }
    for (int o = 16; o > 0; o /= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    if (lane == 0) highest[warp] = m;
    __syncthreads();
    m = fmaxf(fmaxf(highest[0], highest[1]), fmaxf(highest[2], highest[3]));
    double s = 0.0;
    for (int k = threadIdx.x; k < keys; k += blockDim.x) {
        values[k] = expf(values[k] - m);
        s += values[k];
    }
    for (int o = 16; o > 0; o /= 2) s += __shfl_xor_sync(0xffffffffu, s, o);
    if (lane == 0) sums[warp] = s;
    __syncthreads();
    const float scale = static_cast<float>(1.0 / (sums[0] + sums[1] + sums[2] + sums[3]));
    for (int k = threadIdx.x; k < keys; k += blockDim.x) out[row * keys + k] = values[k] * scale;
}

torch::Tensor masked_softmax(torch::Tensor scores, torch::Tensor mask) {
    scores = scores.contiguous();
    mask = mask.contiguous();
    const int batch = scores.size(0), queries = scores.size(1), keys = scores.size(2);
    auto out = torch::empty_like(scores);
    const size_t bytes = keys * sizeof(float) + 4 * sizeof(double);
    masked_softmax_kernel<<<batch * queries, 128, bytes, at::cuda::getCurrentCUDAStream()>>>(
        scores.data_ptr<float>(), mask.data_ptr<bool>(), out.data_ptr<float>(), queries, keys);
    return out;
}
"""

ext = load_inline(name="w8_double_after_odd_floats", cpp_sources='torch::Tensor masked_softmax(torch::Tensor scores, torch::Tensor mask);',
                  cuda_sources=cuda_src, functions=['masked_softmax'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, scores, mask):
        return ext.masked_softmax(scores, mask)
