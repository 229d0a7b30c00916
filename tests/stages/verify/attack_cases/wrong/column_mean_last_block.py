# task: column_mean
# expect: refused
# why: Each thread of a block writes its own column's partial sum, but thread 0 takes the block's ticket without a
#      __syncthreads() before it: it can announce the block as done while other warps have not stored (or fenced)
#      their partial sums. The last block of a column tile then adds stale partial sums (uninitialised memory) for
#      these columns. Data race between blocks at the task's size.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kRows = 128;      // rows per block
constexpr int kCols = 256;      // columns per block, one per thread

__global__ void column_mean_kernel(const float* __restrict__ x, float* partial, unsigned int* done,
                                   float* __restrict__ out, int rows, int cols) {
    __shared__ bool is_last;
    const int c = blockIdx.x * kCols + threadIdx.x;
    const int begin = blockIdx.y * kRows, end = min(begin + kRows, rows);
    if (c < cols) {
        float s = 0.0f;
        for (int r = begin; r < end; ++r) s += x[(size_t)r * cols + c];
        partial[(size_t)blockIdx.y * cols + c] = s;
    }
    __threadfence();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(&done[blockIdx.x], 1u) == gridDim.y - 1;
    }
    __syncthreads();
    if (!is_last || c >= cols) return;
    __threadfence();
    float total = 0.0f;
    for (unsigned int b = 0; b < gridDim.y; ++b) total += ((volatile float*)partial)[(size_t)b * cols + c];
    out[c] = total / rows;
}

torch::Tensor column_mean(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1);
    dim3 grid((cols + kCols - 1) / kCols, (rows + kRows - 1) / kRows);
    auto partial = torch::empty({(int64_t)grid.y, cols}, x.options());
    auto done = torch::empty({(int64_t)grid.x}, x.options().dtype(torch::kInt32));
    auto out = torch::empty({cols}, x.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    cudaMemsetAsync(done.data_ptr<int>(), 0, grid.x * sizeof(int), stream);
    column_mean_kernel<<<grid, kCols, 0, stream>>>(x.data_ptr<float>(), partial.data_ptr<float>(),
                                                   reinterpret_cast<unsigned int*>(done.data_ptr<int>()),
                                                   out.data_ptr<float>(), rows, cols);
    return out;
}
"""

cpp_source = """
torch::Tensor column_mean(torch::Tensor x);
"""

ops = load_inline(
    name="column_mean_last_block",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["column_mean"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.column_mean(x)
