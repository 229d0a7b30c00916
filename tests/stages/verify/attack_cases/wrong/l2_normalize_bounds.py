# task: row_l2_normalize
# expect: refused
# why: For 257 to 4096 columns the instance l2_normalize<128> is launched with 256 threads, but its
#      __launch_bounds__(128) allows 128: the launch fails (invalid configuration / too many resources) and the
#      output is uninitialised. The task has 768 columns.
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

template <int kThreads>
__global__ void __launch_bounds__(kThreads) l2_normalize(const float* __restrict__ x, float* __restrict__ y, int cols,
                                                         float eps) {
    __shared__ float part[32];
    const float* p = x + (size_t)blockIdx.x * cols;
    float* q = y + (size_t)blockIdx.x * cols;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float s = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) s += p[c] * p[c];
    s = warp_sum(s);
    if (lane == 0) part[warp] = s;
    __syncthreads();
    s = lane < (int)(blockDim.x >> 5) ? part[lane] : 0.0f;
    s = warp_sum(s);
    const float norm = fmaxf(sqrtf(s), eps);
    for (int c = threadIdx.x; c < cols; c += blockDim.x) q[c] = p[c] / norm;
}

torch::Tensor normalize_rows(torch::Tensor x, double eps) {
    const int rows = x.size(0), cols = x.size(1);
    auto y = torch::empty_like(x);
    auto stream = at::cuda::getCurrentCUDAStream();
    const float* in = x.data_ptr<float>();
    float* out = y.data_ptr<float>();
    if (cols <= 256) {
        l2_normalize<128><<<rows, 128, 0, stream>>>(in, out, cols, (float)eps);
    } else if (cols <= 4096) {
        l2_normalize<128><<<rows, 256, 0, stream>>>(in, out, cols, (float)eps);
    } else {
        l2_normalize<512><<<rows, 512, 0, stream>>>(in, out, cols, (float)eps);
    }
    return y;
}
"""

cpp_source = """
torch::Tensor normalize_rows(torch::Tensor x, double eps);
"""

ops = load_inline(
    name="l2_normalize_bounds",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["normalize_rows"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.normalize_rows(x, 1e-12)
