# task: ../../tasks/mse_loss
# expect: refused
# why: the grid is what the occupancy API says for all multiprocessors (hundreds of blocks), and the partial sums have 256 places: on an A100 blocks 256 and later store behind the tensor, and their elements are lost.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#define MOST_BLOCKS 256  // More blocks than any card keeps resident.

__device__ __forceinline__ float block_sum(float v) {
    __shared__ float parts[8];
    for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0.0f;
    for (int w = 0; w < (int)blockDim.x / 32; ++w) v += parts[w];
    return v;
}

__global__ void partial_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ partial,
                               int n) {
    float s = 0.0f;
    // Neighbouring blocks have neighbouring elements, so that all of the card takes part in short inputs as well.
    for (int i = threadIdx.x * gridDim.x + blockIdx.x; i < n; i += blockDim.x * gridDim.x) {
        const float d = a[i] - b[i];
        s = fmaf(d, d, s);
    }
    s = block_sum(s);
    if (threadIdx.x == 0) partial[blockIdx.x] = s;
}

__global__ void final_kernel(const float* __restrict__ partial, float* __restrict__ out, int blocks, float scale) {
    const float s = block_sum((int)threadIdx.x < blocks ? partial[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) *out = s * scale;
}

torch::Tensor mse_loss(torch::Tensor predictions, torch::Tensor targets) {
    predictions = predictions.contiguous();
    targets = targets.contiguous();
    const int n = predictions.numel(), threads = 128;
    int device = 0, multiprocessors = 0, resident = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, partial_kernel, threads, 0);
    const int blocks = multiprocessors * resident;
    auto partial = torch::empty({MOST_BLOCKS}, predictions.options());
    auto out = torch::empty({}, predictions.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    partial_kernel<<<blocks, threads, 0, stream>>>(predictions.data_ptr<float>(), targets.data_ptr<float>(),
                                                   partial.data_ptr<float>(), n);
    final_kernel<<<1, MOST_BLOCKS, 0, stream>>>(partial.data_ptr<float>(), out.data_ptr<float>(), blocks, 1.0f / n);
    return out;
}
"""

ext = load_inline(name="w8_partials_for_one_card", cpp_sources='torch::Tensor mse_loss(torch::Tensor predictions, torch::Tensor targets);',
                  cuda_sources=cuda_src, functions=['mse_loss'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, predictions, targets):
        return ext.mse_loss(predictions, targets)
