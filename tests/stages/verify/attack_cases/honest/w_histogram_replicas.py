# task: w_histogram
# expect: correct
# why: each warp has a replica of the bins in shared memory; replicas are added, then added to global memory by
# integer atomics, and a second kernel makes shares of the counts.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
namespace {
constexpr int kBins = 64;
constexpr int kWarps = 8;
constexpr int kPerBlock = 16384;

struct Shape {
    int images, pixels;
};

__global__ void count_kernel(const float* __restrict__ x, int* __restrict__ counts, Shape shape) {
    __shared__ int replicas[kWarps][kBins];
    for (int i = threadIdx.x; i < kWarps * kBins; i += blockDim.x) (&replicas[0][0])[i] = 0;
    __syncthreads();
    const int image = blockIdx.y;
    const float* p = x + (size_t)image * shape.pixels;
    const int first = blockIdx.x * kPerBlock, last = min(shape.pixels, first + kPerBlock);
    int* const mine = replicas[threadIdx.x / 32];
    for (int i = first + threadIdx.x; i < last; i += blockDim.x) {
        const int bin = min(kBins - 1, max(0, (int)(p[i] * 64.0f)));
        atomicAdd(&mine[bin], 1);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
        int n = 0;
        for (int w = 0; w < kWarps; ++w) n += replicas[w][bin];
        if (n > 0) atomicAdd(&counts[image * kBins + bin], n);
    }
}

__global__ void share_kernel(const int* __restrict__ counts, float* __restrict__ out, Shape shape) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < shape.images * kBins) out[i] = (float)counts[i] / (float)shape.pixels;
}
}  // namespace

torch::Tensor histogram(torch::Tensor x) {
    x = x.contiguous();
    const Shape shape{(int)x.size(0), (int)x.size(1)};
    auto counts = torch::empty({shape.images, kBins}, x.options().dtype(torch::kInt32));
    auto out = torch::empty({shape.images, kBins}, x.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    C10_CUDA_CHECK(cudaMemsetAsync(counts.data_ptr<int>(), 0, counts.numel() * sizeof(int), stream));
    const dim3 grid((shape.pixels + kPerBlock - 1) / kPerBlock, shape.images);
    count_kernel<<<grid, kWarps * 32, 0, stream>>>(x.data_ptr<float>(), counts.data_ptr<int>(), shape);
    const int n = shape.images * kBins;
    share_kernel<<<(n + 255) / 256, 256, 0, stream>>>(counts.data_ptr<int>(), out.data_ptr<float>(), shape);
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

ext = load_inline(name="w7h_w_histogram_replicas", cpp_sources="torch::Tensor histogram(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["histogram"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.histogram(x)
