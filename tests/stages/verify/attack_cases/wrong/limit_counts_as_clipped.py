# task: clip_count
# expect: refused
# why: A sample that is equal to the limit counts as clipped: >= where the task has >.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void count_clipped(const float* __restrict__ x, int64_t* counts, int samples, float limit) {
    const int channel = blockIdx.x, image = blockIdx.y;
    const float* p = x + ((size_t)image * gridDim.x + channel) * samples;
    int n = 0;
    for (int s = 0; s < samples; s += blockDim.x) {
        const int at = s + threadIdx.x;
        n += __syncthreads_count(at < samples && fabsf(p[min(at, samples - 1)]) >= limit);
    }
    if (threadIdx.x == 0 && n > 0) atomicAdd(reinterpret_cast<unsigned long long*>(&counts[channel]), (unsigned long long)n);
}

torch::Tensor clip_count(torch::Tensor x, double limit) {
    const int batch = x.size(0), channels = x.size(1), samples = x.size(2);
    auto counts = torch::zeros({channels}, x.options().dtype(torch::kInt64));
    count_clipped<<<dim3(channels, batch), 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), counts.data_ptr<int64_t>(), samples, (float)limit);
    return counts;
}
"""

cpp_source = """
torch::Tensor clip_count(torch::Tensor x, double limit);
"""

ext = load_inline(
    name="limit_counts_as_clipped",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["clip_count"],
)


class ModelNew(nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def forward(self, x):
        return ext.clip_count(x.contiguous(), self.limit)
