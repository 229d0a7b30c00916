# task: cell_hash
# expect: refused
# why: Coordinates of cells are converted from float to unsigned: on a GPU the conversion of a negative number
#      saturates to 0 (on x86 it wraps), so that all points with a negative coordinate, three quarters of the
#      task's own, hash as if it were 0.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void hash_cells(const float2* __restrict__ p, int64_t* __restrict__ out, int n, unsigned mask) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 v = p[i];
    const unsigned x = static_cast<unsigned>(floorf(v.x)), y = static_cast<unsigned>(floorf(v.y));
    out[i] = ((x * 73856093u) ^ (y * 19349663u)) & mask;  // only the lower bits matter
}

torch::Tensor cell_hash(torch::Tensor points, int64_t buckets) {
    const int batch = points.size(0), count = points.size(1), n = batch * count;
    auto out = torch::empty({batch, count}, points.options().dtype(torch::kInt64));
    hash_cells<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        reinterpret_cast<const float2*>(points.data_ptr<float>()), out.data_ptr<int64_t>(), n, (unsigned)buckets - 1);
    return out;
}
"""

cpp_source = """
torch::Tensor cell_hash(torch::Tensor points, int64_t buckets);
"""

ext = load_inline(
    name="negative_cell_to_unsigned_11",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["cell_hash"],
)


class ModelNew(nn.Module):
    def __init__(self, buckets):
        super().__init__()
        self.buckets = buckets

    def forward(self, points):
        return ext.cell_hash(points.contiguous(), self.buckets)
