# task: row_standardize
# expect: refused
# why: block_sum() has no barrier before it writes its shared array, and the kernel for rows of more than 1024
#      columns calls it twice in a row: a fast warp writes the partial sums of the squares into red[] while a slow
#      warp still reads those of the sums (write after read, shared memory; racecheck reports it, means and
#      variances get mixed). Own size: cols = 4096 takes this kernel.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}
__device__ __forceinline__ float warp_max(float v) {
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}

__device__ __forceinline__ float block_sum(float v) {
    __shared__ float red[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = warp_sum(v);
    if (lane == 0) red[warp] = v;
    __syncthreads();
    v = lane < (int)(blockDim.x >> 5) ? red[lane] : 0.0f;
    return warp_sum(v);
}

__global__ void moments_warp(const float* __restrict__ x, float* __restrict__ mean, float* __restrict__ rstd,
                             int rows, int cols, float eps) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    const float* p = x + (size_t)row * cols;
    float s = 0.0f;
    for (int c = lane; c < cols; c += 32) s += p[c];
    const float mu = warp_sum(s) / cols;
    float q = 0.0f;
    for (int c = lane; c < cols; c += 32) { const float d = p[c] - mu; q += d * d; }
    q = warp_sum(q) / cols;
    if (lane == 0) { mean[row] = mu; rstd[row] = rsqrtf(q + eps); }
}

__global__ void moments_block(const float* __restrict__ x, float* __restrict__ mean, float* __restrict__ rstd,
                              int cols, float eps) {
    const float* p = x + (size_t)blockIdx.x * cols;
    const float shift = p[0];
    float s = 0.0f, q = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        const float d = p[c] - shift;
        s += d;
        q += d * d;
    }
    s = block_sum(s) / cols;
    q = block_sum(q) / cols;
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = s + shift;
        rstd[blockIdx.x] = rsqrtf(fmaxf(q - s * s, 0.0f) + eps);
    }
}

__global__ void standardize(const float* __restrict__ x, const float* __restrict__ mean,
                            const float* __restrict__ rstd, float* __restrict__ y, int cols) {
    const size_t base = (size_t)blockIdx.x * cols;
    const float mu = mean[blockIdx.x], r = rstd[blockIdx.x];
    for (int c = threadIdx.x; c < cols; c += blockDim.x) y[base + c] = (x[base + c] - mu) * r;
}

torch::Tensor standardize_rows(torch::Tensor x, double eps) {
    const int rows = x.size(0), cols = x.size(1);
    auto y = torch::empty_like(x);
    auto mean = torch::empty({rows}, x.options());
    auto rstd = torch::empty({rows}, x.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    if (cols <= 1024) {
        moments_warp<<<(rows + 7) / 8, 256, 0, stream>>>(x.data_ptr<float>(), mean.data_ptr<float>(),
                                                         rstd.data_ptr<float>(), rows, cols, (float)eps);
    } else {
        moments_block<<<rows, 512, 0, stream>>>(x.data_ptr<float>(), mean.data_ptr<float>(),
                                                rstd.data_ptr<float>(), cols, (float)eps);
    }
    standardize<<<rows, 256, 0, stream>>>(x.data_ptr<float>(), mean.data_ptr<float>(),
                                          rstd.data_ptr<float>(), y.data_ptr<float>(), cols);
    return y;
}
"""

cpp_source = """
torch::Tensor standardize_rows(torch::Tensor x, double eps);
"""

ops = load_inline(
    name="standardize_reuse",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["standardize_rows"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.standardize_rows(x, 1e-5)
