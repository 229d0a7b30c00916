# task: ../../tasks/mse_loss
# expect: refused
# why: blocks add to one sum under a lock of atomics, with plain loads and stores and no fence: a multiprocessor reads the sum again from its L1 cache, which does not see what others have stored, and loses their parts.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
__global__ void mse_kernel(const float* __restrict__ a, const float* __restrict__ b, float* out, int* lock, int n) {
    __shared__ float parts[2];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    // Chunks of 64 elements in turn.
    for (int first = blockIdx.x * 64; first < n; first += gridDim.x * 64) {
        const int i = first + threadIdx.x;
        float d = i < n ? a[i] - b[i] : 0.0f;
        d *= d;
        for (int o = 16; o > 0; o /= 2) d += __shfl_down_sync(0xffffffffu, d, o);
        if (lane == 0) parts[warp] = d;
        __syncthreads();
        if (threadIdx.x == 0) {
            while (atomicCAS(lock, 0, 1) != 0) {
            }
            *out += (parts[0] + parts[1]) / n;
            atomicExch(lock, 0);
        }
        __syncthreads();
    }
}

torch::Tensor mse_loss(torch::Tensor predictions, torch::Tensor targets) {
    predictions = predictions.contiguous();
    targets = targets.contiguous();
    auto out = torch::zeros({}, predictions.options());
    auto lock = torch::zeros({1}, predictions.options().dtype(torch::kInt32));
    mse_kernel<<<2, 64, 0, at::cuda::getCurrentCUDAStream()>>>(predictions.data_ptr<float>(), targets.data_ptr<float>(),
                                                               out.data_ptr<float>(), lock.data_ptr<int>(),
                                                               (int)predictions.numel());
    return out;
}
"""

ext = load_inline(name="w8_lock_without_fence", cpp_sources='torch::Tensor mse_loss(torch::Tensor predictions, torch::Tensor targets);',
                  cuda_sources=cuda_src, functions=['mse_loss'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, predictions, targets):
        return ext.mse_loss(predictions, targets)
