# task: ../../tasks/mse_loss
# expect: correct
# why: cub::BlockReduce in each block, and the last block to finish (a fence of each storing thread, atomicInc() that wraps to 0) sums the parts in a fixed order; the workspace is kept in the module.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <cub/cub.cuh>
#include <algorithm>
#define THREADS 128
__device__ unsigned int blocks_done = 0;

__global__ void mse_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ parts,
                           float* __restrict__ out, int64_t n) {
    using Reduce = cub::BlockReduce<float, THREADS>;
    __shared__ typename Reduce::TempStorage storage;
    __shared__ bool is_last;
    float s = 0.0f;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; i < n;
         i += static_cast<int64_t>(gridDim.x) * THREADS) {
        const float d = a[i] - b[i];
        s = fmaf(d, d, s);
    }
    s = Reduce(storage).Sum(s);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = s;
        __threadfence();
        is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    float total = 0.0f;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += THREADS) total += __ldcg(parts + i);
    total = Reduce(storage).Sum(total);
    if (threadIdx.x == 0) *out = total / static_cast<float>(n);
}

torch::Tensor mse_loss(torch::Tensor predictions, torch::Tensor targets, torch::Tensor parts) {
    TORCH_CHECK(predictions.sizes() == targets.sizes(), "sizes differ: ", predictions.sizes(), " and ", targets.sizes());
    predictions = predictions.contiguous();
    targets = targets.contiguous();
    const int64_t n = predictions.numel();
    const int blocks = static_cast<int>(std::min<int64_t>(std::max<int64_t>((n + THREADS - 1) / THREADS, 1),
                                                          parts.numel()));
    auto out = torch::empty({}, predictions.options());
    mse_kernel<<<blocks, THREADS, 0, at::cuda::getCurrentCUDAStream()>>>(
        predictions.data_ptr<float>(), targets.data_ptr<float>(), parts.data_ptr<float>(), out.data_ptr<float>(), n);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

ext = load_inline(name="w8_last_block_cub", cpp_sources='torch::Tensor mse_loss(torch::Tensor predictions, torch::Tensor targets, torch::Tensor parts);',
                  cuda_sources=cuda_src, functions=['mse_loss'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self._workspace = None

    def forward(self, predictions, targets):
        if self._workspace is None or self._workspace.device != predictions.device:
            self._workspace = torch.empty(512, dtype=torch.float32, device=predictions.device)
        return ext.mse_loss(predictions, targets, self._workspace)
