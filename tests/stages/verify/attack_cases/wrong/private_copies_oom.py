# task: index_add_v
# expect: refused
# why: every block of 128 edges has a private copy of the whole result: 4688 copies of 25.6 MB at the task's own
# sizes, doubled by float64: 240 GB, and a second buffer of the same size for the tree, which no present
# device can allocate: torch raises out of memory in every call.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>

constexpr int EDGES = 128;

// Each block owns copies[blockIdx.x], so that its atomics meet only those of its own threads.
__global__ void private_kernel(const float* __restrict__ messages, const int64_t* __restrict__ target,
                               double* __restrict__ copies, int E, int nodes, int width) {
    double* mine = copies + (size_t)blockIdx.x * nodes * width;
    const int first = blockIdx.x * EDGES, last = min(E, first + EDGES);
    for (int c = threadIdx.x; c < width; c += blockDim.x) {
        for (int e = first; e < last; ++e) {
            mine[(size_t)target[e] * width + c] += (double)messages[(size_t)e * width + c];
        }
    }
}

// Adds pairs of copies: a tree keeps the order of the sums fixed.
__global__ void pair_kernel(const double* __restrict__ from, double* __restrict__ to, int copies,
                            size_t size) {
    const int pairs = (copies + 1) / 2;
    const size_t total = (size_t)pairs * size;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < total;
         i += (size_t)gridDim.x * blockDim.x) {
        const size_t p = i / size, at = i % size;
        double v = from[2 * p * size + at];
        if (2 * p + 1 < (size_t)copies) v += from[(2 * p + 1) * size + at];
        to[p * size + at] = v;
    }
}

__global__ void narrow_kernel(const double* __restrict__ sums, float* __restrict__ out, size_t size) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < size;
         i += (size_t)gridDim.x * blockDim.x) {
        out[i] = (float)sums[i];
    }
}

torch::Tensor index_add(torch::Tensor messages, torch::Tensor target, int64_t nodes) {
    messages = messages.contiguous();
    target = target.contiguous();
    const int E = messages.size(0), width = messages.size(1);
    const int blocks = (E + EDGES - 1) / EDGES;
    const size_t size = (size_t)nodes * width;
    auto options = messages.options().dtype(torch::kFloat64);
    auto copies = torch::zeros({blocks, nodes, (int64_t)width}, options);
    auto other = torch::empty({blocks, nodes, (int64_t)width}, options);
    auto out = torch::empty({nodes, (int64_t)width}, messages.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    private_kernel<<<blocks, 64, 0, stream>>>(messages.data_ptr<float>(), target.data_ptr<int64_t>(),
                                              copies.data_ptr<double>(), E, (int)nodes, width);
    double* from = copies.data_ptr<double>();
    double* to = other.data_ptr<double>();
    for (int left = blocks; left > 1; left = (left + 1) / 2) {
        pair_kernel<<<1024, 256, 0, stream>>>(from, to, left, size);
        std::swap(from, to);
    }
    narrow_kernel<<<256, 256, 0, stream>>>(from, out.data_ptr<float>(), size);
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(
    name="w7_private",
    cpp_sources="torch::Tensor index_add(torch::Tensor messages, torch::Tensor target, int64_t nodes);",
    cuda_sources=cuda_src, functions=["index_add"])


class ModelNew(nn.Module):
    def __init__(self, num_nodes: int):
        super().__init__()
        self.num_nodes = num_nodes

    def forward(self, messages, target):
        return ext.index_add(messages, target, self.num_nodes)
