# task: ../../tasks/linear
# expect: refused
# why: packed weights are cached for all models of the process under the parameter's address: another model whose parameters lie in memory that was freed gets the weights of the first.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
__global__ void pack_kernel(const float* __restrict__ w, float* __restrict__ packed, int out_f, int in_f, int padded) {
    const int o = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y;
    if (o < padded) packed[k * padded + o] = o < out_f ? w[o * in_f + k] : 0.0f;
}

// Each thread has four neighbouring outputs of a row.
__global__ void linear_relu_kernel(const float* __restrict__ x, const float4* __restrict__ packed,
                                   const float* __restrict__ bias, float* __restrict__ y, int rows, int in_f, int out_f,
                                   int quads) {
    const int q = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (q >= quads || r >= rows) return;
    float s[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int k = 0; k < in_f; ++k) {
        const float v = __ldg(x + r * in_f + k);
        const float4 w = __ldg(packed + k * quads + q);
        s[0] = fmaf(v, w.x, s[0]);
        s[1] = fmaf(v, w.y, s[1]);
        s[2] = fmaf(v, w.z, s[2]);
        s[3] = fmaf(v, w.w, s[3]);
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const int o = 4 * q + j;
        if (o < out_f) y[r * out_f + o] = fmaxf(s[j] + bias[o], 0.0f);
    }
}

torch::Tensor pack(torch::Tensor w) {
    const int out_f = w.size(0), in_f = w.size(1), padded = (out_f + 3) / 4 * 4;
    w = w.contiguous();
    auto packed = torch::empty({in_f, padded}, w.options());
    pack_kernel<<<dim3((padded + 63) / 64, in_f), 64, 0, at::cuda::getCurrentCUDAStream()>>>(
        w.data_ptr<float>(), packed.data_ptr<float>(), out_f, in_f, padded);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return packed;
}

torch::Tensor linear_relu(torch::Tensor x, torch::Tensor packed, torch::Tensor bias) {
    x = x.contiguous();
    const int rows = x.size(0), in_f = x.size(1), out_f = bias.size(0), quads = packed.size(1) / 4;
    auto y = torch::empty({rows, out_f}, x.options());
    const dim3 block(8, 16), grid((quads + 7) / 8, (rows + 15) / 16);
    linear_relu_kernel<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), reinterpret_cast<const float4*>(packed.data_ptr<float>()), bias.data_ptr<float>(),
        y.data_ptr<float>(), rows, in_f, out_f, quads);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}
"""

ext = load_inline(name="packed_weights_by_address", cpp_sources='torch::Tensor pack(torch::Tensor w);\ntorch::Tensor linear_relu(torch::Tensor x, torch::Tensor packed, torch::Tensor bias);',
                  cuda_sources=cuda_src, functions=['pack', 'linear_relu'])


PACKED = {}


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def _packed(self):
        weight = self.linear.weight
        key = weight.data_ptr()
        if key not in PACKED:
            PACKED[key] = ext.pack(weight.detach())
        return PACKED[key]

    def forward(self, x):
        return ext.linear_relu(x, self._packed(), self.linear.bias.detach())
