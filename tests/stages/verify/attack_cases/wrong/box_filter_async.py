# task: box_filter_rows
# expect: refused
# why: Double buffering with cg::memcpy_async: wait_prior<1> waits for all copies but the newest. In a block's last
#      iteration no newer copy has been issued, so the newest is the row that is about to be read: every 8th row is
#      computed from shared memory that may not have arrived (race; it needs wait_prior<0> there).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

namespace cg = cooperative_groups;
constexpr int kRows = 8;      // rows per block
constexpr int kRadius = 2;

__global__ void box_filter_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
    extern __shared__ float buffer[];   // two rows
    cg::thread_block block = cg::this_thread_block();
    const int first = blockIdx.x * kRows;
    const int count = min(kRows, rows - first);
    cg::memcpy_async(block, buffer, x + (size_t)first * cols, sizeof(float) * cols);
    for (int r = 0; r < count; ++r) {
        const float* row = buffer + (r & 1) * cols;
        if (r + 1 < count) {
            cg::memcpy_async(block, buffer + ((r + 1) & 1) * cols, x + (size_t)(first + r + 1) * cols,
                             sizeof(float) * cols);
        }
        // The copy of the next row stays in flight.
        cg::wait_prior<1>(block);
        for (int c = threadIdx.x; c < cols; c += blockDim.x) {
            float sum = 0.0f;
            for (int k = -kRadius; k <= kRadius; ++k) {
                const int j = c + k;
                if (j >= 0 && j < cols) sum += row[j];
            }
            y[(size_t)(first + r) * cols + c] = sum / (2 * kRadius + 1);
        }
        block.sync();
    }
}

torch::Tensor box_filter(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1);
    auto y = torch::empty_like(x);
    const size_t shared = 2 * sizeof(float) * cols;
    box_filter_kernel<<<(rows + kRows - 1) / kRows, 256, shared, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), rows, cols);
    return y;
}
"""

cpp_source = """
torch::Tensor box_filter(torch::Tensor x);
"""

ops = load_inline(
    name="box_filter_async",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["box_filter"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.box_filter(x)
