# task: center_and_energy
# expect: refused
# why: Python puts the second kernel on a side stream that does not wait for the current one: it may read `centered`
#      before center_kernel has written it.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAEvent.h>

__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}
__device__ __forceinline__ float warp_max(float v) {
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}

__global__ void center_kernel(const float* __restrict__ x, float* __restrict__ centered, int rows, int cols) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    const float* p = x + (size_t)row * cols;
    float s = 0.0f;
    for (int c = lane; c < cols; c += 32) s += p[c];
    const float mean = warp_sum(s) / cols;
    for (int c = lane; c < cols; c += 32) centered[(size_t)row * cols + c] = p[c] - mean;
}

__global__ void energy_kernel(const float* __restrict__ centered, float* __restrict__ energy, int rows, int cols) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    const float* p = centered + (size_t)row * cols;
    float s = 0.0f;
    for (int c = lane; c < cols; c += 32) s += p[c] * p[c];
    s = warp_sum(s);
    if (lane == 0) energy[row] = s;
}

torch::Tensor center(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1);
    auto centered = torch::empty_like(x);
    center_kernel<<<(rows + 7) / 8, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), centered.data_ptr<float>(), rows, cols);
    return centered;
}

torch::Tensor energy(torch::Tensor centered) {
    const int rows = centered.size(0), cols = centered.size(1);
    auto result = torch::empty({rows}, centered.options());
    energy_kernel<<<(rows + 7) / 8, 256, 0, at::cuda::getCurrentCUDAStream()>>>(centered.data_ptr<float>(), result.data_ptr<float>(), rows, cols);
    return result;
}
"""

cpp_source = """
torch::Tensor center(torch::Tensor x);
torch::Tensor energy(torch::Tensor centered);
"""

ops = load_inline(
    name="center_energy_python_stream",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["center", "energy"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.side = torch.cuda.Stream()

    def forward(self, x):
        main = torch.cuda.current_stream()
        centered = ops.center(x)
        with torch.cuda.stream(self.side):
            energy = ops.energy(centered)
        main.wait_stream(self.side)
        return centered, energy
