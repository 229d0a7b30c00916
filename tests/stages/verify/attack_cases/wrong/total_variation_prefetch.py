# task: total_variation
# expect: refused
# why: The kernel for rows of more than 1024 columns prefetches p[c + 32] in its last round too: the warp of the
#      last row reads the 32 floats behind the tensor (128 bytes beyond 32 MiB, out of bounds: memcheck reports it,
#      and it faults where the allocation ends with its pages). The values are not used. All other rows read the
#      start of the next row.
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

__global__ void tv_rows_short(const float* __restrict__ x, float* __restrict__ row_sum, int rows, int cols) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    const float* p = x + (size_t)row * cols;
    float s = 0.0f;
    for (int c = lane; c + 1 < cols; c += 32) s += fabsf(p[c + 1] - p[c]);
    s = warp_sum(s);
    if (lane == 0) row_sum[row] = s;
}

// Loads the next 32 elements while the current ones are used.
__global__ void tv_rows_prefetch(const float* __restrict__ x, float* __restrict__ row_sum, int rows, int cols) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    const float* p = x + (size_t)row * cols;
    float s = 0.0f;
    float current = p[lane];
    for (int c = lane; c < cols; c += 32) {
        const float ahead = p[c + 32];
        float right = __shfl_down_sync(0xffffffffu, current, 1);
        const float first = __shfl_sync(0xffffffffu, ahead, 0);
        if (lane == 31) right = first;
        if (c + 1 < cols) s += fabsf(right - current);
        current = ahead;
    }
    s = warp_sum(s);
    if (lane == 0) row_sum[row] = s;
}

__global__ void mean_kernel(const float* __restrict__ v, float* __restrict__ out, int n) {
    __shared__ float part[8];
    float s = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += v[i];
    s = warp_sum(s);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) s += part[w];
        out[0] = s / n;
    }
}

torch::Tensor total_variation(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1);
    auto row_sum = torch::empty({rows}, x.options());
    auto out = torch::empty({}, x.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    if (cols > 1024 && cols % 32 == 0) {
        tv_rows_prefetch<<<(rows + 7) / 8, 256, 0, stream>>>(x.data_ptr<float>(), row_sum.data_ptr<float>(), rows, cols);
    } else {
        tv_rows_short<<<(rows + 7) / 8, 256, 0, stream>>>(x.data_ptr<float>(), row_sum.data_ptr<float>(), rows, cols);
    }
    mean_kernel<<<1, 256, 0, stream>>>(row_sum.data_ptr<float>(), out.data_ptr<float>(), rows);
    return out;
}
"""

cpp_source = """
torch::Tensor total_variation(torch::Tensor x);
"""

ops = load_inline(
    name="total_variation_prefetch",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["total_variation"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.total_variation(x)
