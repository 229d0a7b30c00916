# task: norm_then_linear
# expect: correct
# why: style: two extensions, built by one helper that is cached, each with its kernel; the module keeps
#      the reference's layers in their order and passes their parameters; views restore the shape.
from functools import lru_cache

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

HEADER = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
"""

LAYER_NORM = HEADER + r"""
__inline__ __device__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// One warp a row; the row is read three times, from the cache after the first.
__global__ void layer_norm_kernel(const float* x, const float* w, const float* b, float* y, int rows, int n, float eps) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float* p = x + (size_t)row * n;
    float sum = 0;
    for (int i = lane; i < n; i += 32) sum += p[i];
    float mean = warp_sum(sum) / n;
    float var = 0;
    for (int i = lane; i < n; i += 32) var += (p[i] - mean) * (p[i] - mean);
    float rstd = rsqrtf(warp_sum(var) / n + eps);
    for (int i = lane; i < n; i += 32) y[(size_t)row * n + i] = (p[i] - mean) * rstd * w[i] + b[i];
}

torch::Tensor run(torch::Tensor x, torch::Tensor w, torch::Tensor b, double eps) {
    auto y = torch::empty_like(x);
    int rows = x.size(0), n = x.size(1);
    layer_norm_kernel<<<(rows + 3) / 4, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), rows, n, (float)eps);
    return y;
}
"""

LINEAR = HEADER + r"""
#define TS 16
__global__ void linear_kernel(const float* x, const float* w, float* y, int m, int n, int k) {
    __shared__ float a[TS][TS], b[TS][TS + 1];
    int row = blockIdx.y * TS + threadIdx.y, col = blockIdx.x * TS + threadIdx.x;
    int w_row = blockIdx.x * TS + threadIdx.y;
    float acc = 0;
    for (int t = 0; t < (k + TS - 1) / TS; t++) {
        int kk = t * TS + threadIdx.x;
        a[threadIdx.y][threadIdx.x] = (row < m && kk < k) ? x[row * k + kk] : 0.0f;
        b[threadIdx.y][threadIdx.x] = (w_row < n && kk < k) ? w[w_row * k + kk] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TS; i++) acc += a[threadIdx.y][i] * b[threadIdx.x][i];
        __syncthreads();
    }
    if (row < m && col < n) y[row * n + col] = acc;
}

torch::Tensor run(torch::Tensor x, torch::Tensor w) {
    int m = x.size(0), k = x.size(1), n = w.size(0);
    auto y = torch::empty({m, n}, x.options());
    linear_kernel<<<dim3((n + TS - 1) / TS, (m + TS - 1) / TS), dim3(TS, TS), 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), m, n, k);
    return y;
}
"""


@lru_cache(maxsize=None)
def build(name: str, declaration: str, source: str):
    return load_inline(name=name, cpp_sources=declaration, cuda_sources=source, functions=["run"], verbose=False)


layer_norm = build("nl_layer_norm", "torch::Tensor run(torch::Tensor x, torch::Tensor w, torch::Tensor b, double eps);", LAYER_NORM)
linear = build("nl_linear", "torch::Tensor run(torch::Tensor x, torch::Tensor w);", LINEAR)


class ModelNew(nn.Module):
    def __init__(self, features, out_features):
        super().__init__()
        self.norm = nn.LayerNorm(features)
        self.proj = nn.Linear(features, out_features, bias=False)

    def forward(self, x):
        shape = x.shape
        flat = x.contiguous().view(-1, shape[-1])
        h = layer_norm.run(flat, self.norm.weight, self.norm.bias, self.norm.eps)
        y = linear.run(h, self.proj.weight)
        return y.view(*shape[:-1], y.shape[-1])
