# task: rotary_embedding
# expect: refused
# why: __sincosf reduces its argument in single precision (sin.approx after a product with 1/2pi), so its absolute
#      error grows with the angle: about 1e-3 for the angles up to 16383 of the first frequencies. Positions in the
#      thousands give outputs that differ by up to about 1e-3 * |x| from torch's, ten times the tolerance of 1e-4.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void rotary_kernel(const float* __restrict__ x, const float* __restrict__ inv_freq, float* __restrict__ y,
                              int length, int half_dim) {
    const int pos = blockIdx.x;
    const size_t base = ((size_t)blockIdx.y * length + pos) * 2 * half_dim;
    for (int i = threadIdx.x; i < half_dim; i += blockDim.x) {
        const float angle = (float)pos * inv_freq[i];
        float s, c;
        __sincosf(angle, &s, &c);
        const float a = x[base + i], b = x[base + half_dim + i];
        y[base + i] = a * c - b * s;
        y[base + half_dim + i] = b * c + a * s;
    }
}

torch::Tensor rotary(torch::Tensor x, torch::Tensor inv_freq) {
    const int heads = x.size(0), length = x.size(1), dim = x.size(2);
    auto y = torch::empty_like(x);
    dim3 grid(length, heads);
    rotary_kernel<<<grid, 64, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), inv_freq.data_ptr<float>(), y.data_ptr<float>(), length, dim / 2);
    return y;
}
"""

cpp_source = """
torch::Tensor rotary(torch::Tensor x, torch::Tensor inv_freq);
"""

ops = load_inline(
    name="rotary_fast_sincos",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["rotary"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        inv_freq = 1.0 / (10000.0 ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer("inv_freq", inv_freq)

    def forward(self, x):
        return ops.rotary(x, self.inv_freq)
