# task: compact_rows
# expect: refused
# why: inside the branch __activemask() is taken for "all lanes whose number is positive"; it only names the lanes
# that happen to run together. The hardware may run the lanes of a branch in several groups: then ranks repeat
# and numbers overwrite each other. Own inputs; depends on the scheduling within a warp (no __ballot_sync).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>

__device__ unsigned warp_or(unsigned v) {
    for (int o = 16; o > 0; o >>= 1) v |= __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// One warp per row.
__global__ void compact_kernel(const float* __restrict__ x, float* __restrict__ out, int rows, int cols) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const unsigned lane = threadIdx.x & 31;
    if (row >= rows) return;
    const float* in = x + (size_t)row * cols;
    float* to = out + (size_t)row * cols;
    int kept = 0;
    for (int first = 0; first < cols; first += 32) {
        const int c = first + (int)lane;
        const float v = c < cols ? in[c] : 0.0f;
        unsigned mine = 0;
        if (v > 0.0f) {
            const unsigned mask = __activemask();
            to[kept + __popc(mask & ((1u << lane) - 1u))] = v;
            mine = mask;
        }
        // All lanes learn how many were kept.
        kept += __popc(warp_or(mine));
    }
    for (int c = kept + (int)lane; c < cols; c += 32) to[c] = 0.0f;
}

torch::Tensor compact_rows(torch::Tensor x) {
    x = x.contiguous();
    const int rows = x.size(0), cols = x.size(1);
    auto out = torch::empty_like(x);
    compact_kernel<<<(rows + 7) / 8, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), rows, cols);
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(name="w7_activemask", cpp_sources="torch::Tensor compact_rows(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["compact_rows"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.compact_rows(x)
