# task: ../../tasks/cross_entropy
# expect: refused
# why: the row's maximum is an atomicMax() of float bits as int that starts at -infinity's bits, which are above those of every negative number: a row of negative logits (one in a thousand rows of randn, one call in eighty) gives NaN.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
__global__ void loss_kernel(const float* __restrict__ logits, const int64_t* __restrict__ targets, float* __restrict__ loss,
                            int rows, int classes) {
    extern __shared__ float shared[];  // Maximum and sum of each row of the block.
    float* highest = shared;
    float* sums = shared + blockDim.y;
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (threadIdx.x == 0) {
        highest[threadIdx.y] = -INFINITY;
        sums[threadIdx.y] = 0.0f;
    }
    __syncthreads();
    if (row < rows) {
        for (int c = threadIdx.x; c < classes; c += blockDim.x) {
            atomicMax(reinterpret_cast<int*>(&highest[threadIdx.y]), __float_as_int(logits[row * classes + c]));
        }
    }
    __syncthreads();
    if (row < rows) {
        for (int c = threadIdx.x; c < classes; c += blockDim.x) {
            atomicAdd(&sums[threadIdx.y], expf(logits[row * classes + c] - highest[threadIdx.y]));
        }
    }
    __syncthreads();
    if (row < rows && threadIdx.x == 0) {
        const float lost = logf(sums[threadIdx.y]) + highest[threadIdx.y] - logits[row * classes + targets[row]];
        atomicAdd(loss, lost / rows);
    }
}

torch::Tensor cross_entropy(torch::Tensor logits, torch::Tensor targets) {
    logits = logits.contiguous();
    targets = targets.contiguous();
    const int rows = logits.size(0), classes = logits.size(1);
    auto loss = torch::zeros({}, logits.options());
    const dim3 block(16, 8);
    loss_kernel<<<(rows + 7) / 8, block, 2 * 8 * sizeof(float), at::cuda::getCurrentCUDAStream()>>>(
        logits.data_ptr<float>(), targets.data_ptr<int64_t>(), loss.data_ptr<float>(), rows, classes);
    return loss;
}
"""

ext = load_inline(name="w8_integer_maximum_of_negatives", cpp_sources='torch::Tensor cross_entropy(torch::Tensor logits, torch::Tensor targets);',
                  cuda_sources=cuda_src, functions=['cross_entropy'])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logits, targets):
        return ext.cross_entropy(logits, targets)
