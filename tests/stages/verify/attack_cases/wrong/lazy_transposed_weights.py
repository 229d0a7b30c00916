# task: ../../tasks/mlp
# expect: refused
# why: forward() transposes each weight once and keeps it: after an optimizer step or load_state_dict() on the same model, later calls use the old weights.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
__global__ void transpose_kernel(const float* __restrict__ w, float* __restrict__ wt, int out_f, int in_f) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < out_f * in_f) wt[(i % in_f) * out_f + i / in_f] = w[i];
}

__global__ void layer_kernel(const float* __restrict__ x, const float* __restrict__ wt,
                             const float* __restrict__ b, float* __restrict__ y, int in_f, int out_f, bool relu) {
    extern __shared__ float row[];
    for (int k = threadIdx.x; k < in_f; k += blockDim.x) row[k] = x[blockIdx.x * in_f + k];
    __syncthreads();
    for (int o = threadIdx.x; o < out_f; o += blockDim.x) {
        float s = b[o];
        for (int k = 0; k < in_f; ++k) s = fmaf(row[k], __ldg(wt + k * out_f + o), s);
        y[blockIdx.x * out_f + o] = relu ? fmaxf(s, 0.0f) : s;
    }
}

torch::Tensor transposed(torch::Tensor w) {
    const int out_f = w.size(0), in_f = w.size(1);
    auto wt = torch::empty({in_f, out_f}, w.options());
    transpose_kernel<<<(out_f * in_f + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        w.data_ptr<float>(), wt.data_ptr<float>(), out_f, in_f);
    return wt;
}

torch::Tensor layer(torch::Tensor x, torch::Tensor wt, torch::Tensor b, bool relu) {
    const int rows = x.size(0), in_f = x.size(1), out_f = wt.size(1);
    auto y = torch::empty({rows, out_f}, x.options());
    layer_kernel<<<rows, 64, in_f * sizeof(float), at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), wt.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), in_f, out_f, relu);
    return y;
}
"""

ext = load_inline(name="w8_lazy_transposed_weights", cpp_sources='torch::Tensor transposed(torch::Tensor w);\ntorch::Tensor layer(torch::Tensor x, torch::Tensor wt, torch::Tensor b, bool relu);',
                  cuda_sources=cuda_src, functions=['transposed', 'layer'])


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_sizes, output_size):
        super().__init__()
        layers = []
        size = input_size
        for hidden in hidden_sizes:
            layers += [nn.Linear(size, hidden), nn.ReLU()]
            size = hidden
        layers.append(nn.Linear(size, output_size))
        self.network = nn.Sequential(*layers)
        self.columns = None

    def forward(self, x):
        linears = [m for m in self.network if isinstance(m, nn.Linear)]
        if self.columns is None:
            # Reading the weights by columns makes the loads of a warp neighbours.
            self.columns = [ext.transposed(m.weight.detach()) for m in linears]
        x = x.contiguous()
        for i, (m, wt) in enumerate(zip(linears, self.columns)):
            x = ext.layer(x, wt, m.bias, i + 1 < len(linears))
        return x
