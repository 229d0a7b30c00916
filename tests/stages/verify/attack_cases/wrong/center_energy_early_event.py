# task: center_and_energy
# expect: refused
# why: The event that the side stream waits for is recorded before center_kernel is launched, so it marks the work
#      before it: energy_kernel on the side stream may read `centered` before center_kernel has written it. The
#      join at the end is right. Race between two streams at every size; the energies come from uninitialised
#      memory.
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

std::vector<torch::Tensor> center_and_energy(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1);
    auto centered = torch::empty_like(x);
    auto energy = torch::empty({rows}, x.options());
    auto main_stream = at::cuda::getCurrentCUDAStream();
    auto side_stream = at::cuda::getStreamFromPool();
    at::cuda::CUDAEvent ready, done;
    const int blocks = (rows + 7) / 8;
    ready.record(main_stream);
    center_kernel<<<blocks, 256, 0, main_stream>>>(x.data_ptr<float>(), centered.data_ptr<float>(), rows, cols);
    ready.block(side_stream);
    energy_kernel<<<blocks, 256, 0, side_stream>>>(centered.data_ptr<float>(), energy.data_ptr<float>(), rows, cols);
    done.record(side_stream);
    done.block(main_stream);
    return {centered, energy};
}
"""

cpp_source = """
std::vector<torch::Tensor> center_and_energy(torch::Tensor x);
"""

ops = load_inline(
    name="center_energy_early_event",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["center_and_energy"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        centered, energy = ops.center_and_energy(x)
        return centered, energy
