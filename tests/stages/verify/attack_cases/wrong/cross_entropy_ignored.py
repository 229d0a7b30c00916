# task: cross_entropy_w
# expect: refused
# contract: any_values
# why: F.cross_entropy leaves out targets of -100 (the default ignore_index) and divides by the number of the
#      others. This kernel reads logits[row][-100] for them (another row's logit, or memory before the tensor for
#      row 0: out of bounds) and divides by all rows. Wrong for any batch with a padded target.
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

__global__ void row_loss_kernel(const float* __restrict__ logits, const int64_t* __restrict__ target,
                                float* __restrict__ loss, int rows, int classes) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    const float* p = logits + (size_t)row * classes;
    float m = -INFINITY;
    for (int c = lane; c < classes; c += 32) m = fmaxf(m, p[c]);
    m = warp_max(m);
    float s = 0.0f;
    for (int c = lane; c < classes; c += 32) s += expf(p[c] - m);
    s = warp_sum(s);
    if (lane == 0) loss[row] = m + logf(s) - p[target[row]];
}

__global__ void mean_kernel(const float* __restrict__ loss, float* __restrict__ out, int rows) {
    __shared__ float part[8];
    float s = 0.0f;
    for (int r = threadIdx.x; r < rows; r += blockDim.x) s += loss[r];
    s = warp_sum(s);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = threadIdx.x < 8 ? part[threadIdx.x] : 0.0f;
        s = warp_sum(s);
        if (threadIdx.x == 0) out[0] = s / rows;
    }
}

torch::Tensor cross_entropy(torch::Tensor logits, torch::Tensor target) {
    const int rows = logits.size(0), classes = logits.size(1);
    auto loss = torch::empty({rows}, logits.options());
    auto out = torch::empty({}, logits.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    row_loss_kernel<<<(rows + 7) / 8, 256, 0, stream>>>(logits.data_ptr<float>(), target.data_ptr<int64_t>(),
                                                        loss.data_ptr<float>(), rows, classes);
    mean_kernel<<<1, 256, 0, stream>>>(loss.data_ptr<float>(), out.data_ptr<float>(), rows);
    return out;
}
"""

cpp_source = """
torch::Tensor cross_entropy(torch::Tensor logits, torch::Tensor target);
"""

ops = load_inline(
    name="cross_entropy_ignored",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["cross_entropy"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logits, target):
        return ops.cross_entropy(logits, target)
