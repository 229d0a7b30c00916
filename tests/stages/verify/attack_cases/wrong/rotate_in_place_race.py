# task: ../../tasks/rotate_half
# expect: refused
# why: works in place on a clone with one thread for each element; thread i reads the partner's element, which the partner's thread (in another lane,
# warp or block) may have overwritten. Nothing orders the read and the write.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

rope_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

// x: [length, heads, dim], cos/sin: [length, 1, dim]
__global__ void rope_inplace(float* x, const float* __restrict__ cosine,
                             const float* __restrict__ sine, int heads, int dim, int total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int d = i % dim;
    int pos = i / (heads * dim);
    int half = dim / 2;

    float c = cosine[pos * dim + d];
    float s = sine[pos * dim + d];
    float other = d < half ? -x[i + half] : x[i - half];
    x[i] = x[i] * c + other * s;
}

torch::Tensor rope(torch::Tensor x, torch::Tensor cosine, torch::Tensor sine) {
    auto y = x.contiguous().clone();
    auto c = cosine.contiguous(), s = sine.contiguous();
    const int heads = y.size(1), dim = y.size(2), total = y.numel();
    const int threads = 64;
    rope_inplace<<<(total + threads - 1) / threads, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
        y.data_ptr<float>(), c.data_ptr<float>(), s.data_ptr<float>(), heads, dim, total);
    return y;
}
"""

rope = load_inline(name="rotate_in_place_race",
                   cpp_sources="torch::Tensor rope(torch::Tensor x, torch::Tensor cosine, torch::Tensor sine);",
                   cuda_sources=rope_src, functions=["rope"])


class ModelNew(nn.Module):
    """Rotary position embedding, in place to save memory traffic."""

    def forward(self, x, cos, sin):
        return rope.rope(x, cos, sin)
