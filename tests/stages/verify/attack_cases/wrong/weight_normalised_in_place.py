# task: cosine_head
# expect: refused
# why: the first kernel writes the normalised rows over the parameter itself. The result stays right (normalising
# twice changes nothing), but after one call model.weight and its state_dict hold other values than the task's
# model, whose weight no call changes. Shows in every call for the task's own inputs.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>

__device__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// One warp per row.
__global__ void normalize_kernel(const float* in, float* out, int rows, int cols) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    const float* p = in + (size_t)row * cols;
    float s = 0.0f;
    for (int c = lane; c < cols; c += 32) s += p[c] * p[c];
    const float norm = fmaxf(sqrtf(warp_sum(s)), 1e-12f);
    for (int c = lane; c < cols; c += 32) out[(size_t)row * cols + c] = p[c] / norm;
}

// One warp per result.
__global__ void linear_kernel(const float* __restrict__ x, const float* __restrict__ w,
                              float* __restrict__ out, int B, int C, int F, float scale) {
    const int at = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (at >= B * C) return;
    const float* a = x + (size_t)(at / C) * F;
    const float* b = w + (size_t)(at % C) * F;
    float s = 0.0f;
    for (int f = lane; f < F; f += 32) s += a[f] * b[f];
    s = warp_sum(s);
    if (lane == 0) out[at] = s * scale;
}

torch::Tensor cosine_head(torch::Tensor x, torch::Tensor weight, double scale) {
    x = x.contiguous();
    weight = weight.contiguous();
    const int B = x.size(0), F = x.size(1), C = weight.size(0);
    auto unit = torch::empty_like(x);
    auto out = torch::empty({B, C}, x.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    normalize_kernel<<<(C + 7) / 8, 256, 0, stream>>>(weight.data_ptr<float>(), weight.data_ptr<float>(), C, F);
    normalize_kernel<<<(B + 7) / 8, 256, 0, stream>>>(x.data_ptr<float>(), unit.data_ptr<float>(), B, F);
    linear_kernel<<<(B * C + 7) / 8, 256, 0, stream>>>(unit.data_ptr<float>(), weight.data_ptr<float>(),
                                                       out.data_ptr<float>(), B, C, F, (float)scale);
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(
    name="w7_cosine", cpp_sources="torch::Tensor cosine_head(torch::Tensor x, torch::Tensor weight, double scale);",
    cuda_sources=cuda_src, functions=["cosine_head"])


class ModelNew(nn.Module):
    def __init__(self, features: int, classes: int, scale: float):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(classes, features))
        self.scale = scale

    def forward(self, x):
        return ext.cosine_head(x, self.weight.detach(), self.scale)
