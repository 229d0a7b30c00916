# task: ../../tasks/scatter_add
# expect: refused
# why: thread 0 takes its block's ticket while threads 32 to 53 of the block may not have stored their partial sums yet (no __syncthreads() before the fence): the last block adds stale values.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#define MOST 1024
__device__ unsigned finished = 0;

__global__ void scatter_kernel(const float* __restrict__ messages, const int64_t* __restrict__ index,
                               float* __restrict__ partial, float* __restrict__ out, int edges, int channels, int outputs) {
    __shared__ float sums[MOST];
    __shared__ bool last;
    for (int i = threadIdx.x; i < outputs; i += blockDim.x) sums[i] = 0.0f;
    __syncthreads();
    const int each = (edges + gridDim.x - 1) / gridDim.x, end = min(edges, (int)(blockIdx.x + 1) * each);
    for (int e = blockIdx.x * each; e < end; ++e) {
        // The threads of an edge add to different places.
        for (int c = threadIdx.x; c < channels; c += blockDim.x) {
            atomicAdd(&sums[(int)index[e] * channels + c], messages[e * channels + c]);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < outputs; i += blockDim.x) partial[blockIdx.x * outputs + i] = sums[i];
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    for (int i = threadIdx.x; i < outputs; i += blockDim.x) {
        float s = 0.0f;
        for (unsigned b = 0; b < gridDim.x; ++b) s += partial[b * outputs + i];
        out[i] = s;
    }
}

torch::Tensor scatter_rows(torch::Tensor messages, torch::Tensor index, int64_t nodes) {
    messages = messages.contiguous();
    index = index.contiguous();
    const int edges = messages.size(0), channels = messages.size(1), outputs = nodes * channels, blocks = 4;
    TORCH_CHECK(outputs <= MOST, "at most ", MOST, " sums fit a block");
    auto partial = torch::empty({blocks, outputs}, messages.options());
    auto out = torch::empty({nodes, channels}, messages.options());
    scatter_kernel<<<blocks, 64, 0, at::cuda::getCurrentCUDAStream()>>>(
        messages.data_ptr<float>(), index.data_ptr<int64_t>(), partial.data_ptr<float>(), out.data_ptr<float>(), edges,
        channels, outputs);
    return out;
}
"""

ext = load_inline(name="w8_ticket_before_barrier", cpp_sources='torch::Tensor scatter_rows(torch::Tensor messages, torch::Tensor index, int64_t nodes);',
                  cuda_sources=cuda_src, functions=['scatter_rows'])


class ModelNew(nn.Module):
    def __init__(self, num_nodes):
        super().__init__()
        self.num_nodes = num_nodes

    def forward(self, messages, index):
        return ext.scatter_rows(messages, index, self.num_nodes)
