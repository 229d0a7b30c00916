# task: byte_histogram
# expect: refused
# why: Two bins share one 32-bit shared counter (16 bits each), and one block counts a whole image of 262144
#      pixels. A bin with 65536 or more pixels overflows: an even bin carries into the odd bin above it, an odd bin
#      wraps. Uniform bytes give about 1024 per bin; an image of one colour (any constant image) gives a wrong
#      histogram, e.g. all zeros: bin 0 is 0 instead of 262144, and bin 1 is 4 instead of 0.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void histogram_kernel(const unsigned char* __restrict__ x, int64_t* __restrict__ hist, int n) {
    // Two 16-bit counters per word: half the shared memory and half the bank conflicts.
    __shared__ unsigned int packed[128];
    for (int i = threadIdx.x; i < 128; i += blockDim.x) packed[i] = 0;
    __syncthreads();
    const unsigned char* p = x + (size_t)blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const unsigned int v = p[i];
        atomicAdd(&packed[v >> 1], (v & 1u) ? 0x10000u : 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        const unsigned int word = packed[b >> 1];
        hist[(size_t)blockIdx.x * 256 + b] = (b & 1) ? (word >> 16) : (word & 0xffffu);
    }
}

torch::Tensor byte_histogram(torch::Tensor x) {
    const int images = x.size(0), n = x.size(1);
    auto hist = torch::empty({images, 256}, x.options().dtype(torch::kInt64));
    histogram_kernel<<<images, 512, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<unsigned char>(), hist.data_ptr<int64_t>(), n);
    return hist;
}
"""

cpp_source = """
torch::Tensor byte_histogram(torch::Tensor x);
"""

ops = load_inline(
    name="histogram_packed",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["byte_histogram"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.byte_histogram(x)
