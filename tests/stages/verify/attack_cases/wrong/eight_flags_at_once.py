# task: ../../tasks/masked_weights
# expect: refused
# why: eight flags are loaded as one uint2 from rows of 20 bytes: odd rows begin at a multiple of 4 only, and a device raises 'misaligned address'.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
// A thread has 8 elements of a row, loaded with wide loads; the last one of a row has 4.
__global__ void weights_kernel(const float* __restrict__ scores, const unsigned char* __restrict__ kept,
                               float* __restrict__ out, int rows, int columns) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const int first = lane * 8;
    float v[8];
    for (int i = 0; i < 8; ++i) v[i] = -INFINITY;
    if (first + 8 <= columns) {
        const uint2 flags = *reinterpret_cast<const uint2*>(kept + row * columns + first);
        const float4 a = *reinterpret_cast<const float4*>(scores + row * columns + first);
        const float4 b = *reinterpret_cast<const float4*>(scores + row * columns + first + 4);
        const float s[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
        for (int i = 0; i < 8; ++i) {
            const unsigned flag = (i < 4 ? flags.x >> (8 * i) : flags.y >> (8 * (i - 4))) & 0xffu;
            if (flag) v[i] = s[i];
        }
    } else {
        for (int i = 0; i < 8; ++i) {
            if (first + i < columns && kept[row * columns + first + i]) v[i] = scores[row * columns + first + i];
        }
    }
    float m = v[0];
    for (int i = 1; i < 8; ++i) m = fmaxf(m, v[i]);
    for (int o = 16; o > 0; o /= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    float s = 0.0f;
    for (int i = 0; i < 8; ++i) s += v[i] = expf(v[i] - m);
    for (int o = 16; o > 0; o /= 2) s += __shfl_xor_sync(0xffffffffu, s, o);
    for (int i = 0; i < 8; ++i) {
        if (first + i < columns) out[row * columns + first + i] = v[i] / s;
    }
}

torch::Tensor masked_weights(torch::Tensor scores, torch::Tensor kept) {
    scores = scores.contiguous();
    kept = kept.contiguous();
    const int rows = scores.size(0), columns = scores.size(1);
    TORCH_CHECK(columns % 4 == 0 && columns <= 256, "rows of up to 256 elements, a multiple of 4");
    auto out = torch::empty_like(scores);
    weights_kernel<<<(rows + 3) / 4, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        scores.data_ptr<float>(), reinterpret_cast<const unsigned char*>(kept.data_ptr<bool>()), out.data_ptr<float>(),
        rows, columns);
    return out;
}
"""

ext = load_inline(name="w8_eight_flags_at_once", cpp_sources='torch::Tensor masked_weights(torch::Tensor scores, torch::Tensor kept);',
                  cuda_sources=cuda_src, functions=['masked_weights'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, scores, kept):
        return ext.masked_weights(scores, kept)
