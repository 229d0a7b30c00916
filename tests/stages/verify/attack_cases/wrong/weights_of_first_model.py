# task: ../../tasks/gemm_fused
# expect: refused
# why: a variable of an unnamed namespace keeps the packed weight of the process's first model: a second ModelNew (or new weights) is computed with the first one's weight.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
namespace {
torch::Tensor packed_weight;  // [in, out]

__global__ void pack_kernel(const float* __restrict__ w, float* __restrict__ packed, int out_f, int in_f) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < out_f * in_f) packed[(i % in_f) * out_f + i / in_f] = w[i];
}

__global__ void gemm_kernel(const float* __restrict__ x, const float* __restrict__ packed, const float* __restrict__ bias,
                            float* __restrict__ y, int rows, int in_f, int out_f, float scale, float low, float high) {
    const int o = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (o >= out_f || r >= rows) return;
    float s = bias[o];
    for (int k = 0; k < in_f; ++k) s = fmaf(x[r * in_f + k], packed[k * out_f + o], s);
    s = s * scale + s;
    y[r * out_f + o] = fminf(fmaxf(s, low), high);
}
}  // namespace

torch::Tensor gemm_fused(torch::Tensor x, torch::Tensor w, torch::Tensor b, double scale, double low, double high) {
    x = x.contiguous();
    const int rows = x.size(0), in_f = w.size(1), out_f = w.size(0);
    auto stream = at::cuda::getCurrentCUDAStream();
    if (!packed_weight.defined()) {
        packed_weight = torch::empty({in_f, out_f}, w.options());
        pack_kernel<<<(in_f * out_f + 127) / 128, 128, 0, stream>>>(w.data_ptr<float>(), packed_weight.data_ptr<float>(),
                                                                  out_f, in_f);
    }
    auto y = torch::empty({rows, out_f}, x.options());
    const dim3 block(32, 4), grid((out_f + 31) / 32, (rows + 3) / 4);
    gemm_kernel<<<grid, block, 0, stream>>>(x.data_ptr<float>(), packed_weight.data_ptr<float>(), b.data_ptr<float>(),
                                            y.data_ptr<float>(), rows, in_f, out_f, scale, low, high);
    return y;
}
"""

ext = load_inline(name="w8_weights_of_first_model", cpp_sources='torch::Tensor gemm_fused(torch::Tensor x, torch::Tensor w, torch::Tensor b, double scale, double low, double high);',
                  cuda_sources=cuda_src, functions=['gemm_fused'])


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, scale, low, high):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.scale, self.low, self.high = scale, low, high

    def forward(self, x):
        return ext.gemm_fused(x, self.gemm.weight.detach(), self.gemm.bias.detach(), self.scale, self.low, self.high)
