# task: bucketize
# expect: refused
# why: an element that equals a boundary gets a bucket that is one too high
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void bucketize_kernel(const float* __restrict__ x, const float* __restrict__ edges,
                                 int64_t* __restrict__ out, int count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = x[i];
    int lo = 0, hi = count;
    while (lo < hi) {
        const int mid = (lo + hi) >> 1;
        if (v < edges[mid]) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    out[i] = lo;
}

torch::Tensor bucketize(torch::Tensor x, torch::Tensor edges) {
    auto out = torch::empty(x.sizes(), x.options().dtype(torch::kInt64));
    const int n = x.numel();
    bucketize_kernel<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), edges.data_ptr<float>(), out.data_ptr<int64_t>(), (int)edges.numel(), n);
    return out;
}
"""

cpp_source = """
torch::Tensor bucketize(torch::Tensor x, torch::Tensor edges);
"""

ops = load_inline(
    name="bucketize_edges",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["bucketize"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self, boundaries):
        super().__init__()
        self.register_buffer("boundaries", torch.tensor(boundaries))

    def forward(self, x):
        return ops.bucketize(x, self.boundaries)
