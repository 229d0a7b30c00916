# task: two_branches
# expect: refused
# why: The temporary `hidden` belongs to the current stream and is read on a side stream; it goes out of scope
#      before the side stream is joined and without recordStream(), so that the caching allocator gives its
#      block to `gated`, of the same size, and the kernel on the current stream overwrites it while the side
#      stream still reads it.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
#include <c10/cuda/CUDAStream.h>
#include <ATen/cuda/CUDAEvent.h>

__global__ void tanh_kernel(const float* __restrict__ x, float* __restrict__ h, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) h[i] = tanhf(x[i]);
}

__global__ void silu_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] / (1.f + expf(-x[i]));
}

__global__ void row_mean(const float* __restrict__ h, float* __restrict__ out, int cols) {
    __shared__ float parts[8];
    const float* row = h + (size_t)blockIdx.x * cols;
    float sum = 0.f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += row[c];
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) sum += parts[w];
        out[blockIdx.x] = sum / cols;
    }
}

std::vector<torch::Tensor> branches(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1), n = rows * cols;
    auto main_stream = at::cuda::getCurrentCUDAStream();
    auto side = at::cuda::getStreamFromPool();
    auto mean = torch::empty({rows}, x.options());
    at::cuda::CUDAEvent ready, done;
    {
        auto hidden = torch::empty_like(x);
        tanh_kernel<<<(n + 255) / 256, 256, 0, main_stream>>>(x.data_ptr<float>(), hidden.data_ptr<float>(), n);
        ready.record(main_stream);
        ready.block(side);
        row_mean<<<rows, 256, 0, side>>>(hidden.data_ptr<float>(), mean.data_ptr<float>(), cols);
    }
    auto gated = torch::empty_like(x);
    silu_kernel<<<(n + 255) / 256, 256, 0, main_stream>>>(x.data_ptr<float>(), gated.data_ptr<float>(), n);
    done.record(side);
    done.block(main_stream);
    return {mean, gated};
}
"""

cpp_source = """
std::vector<torch::Tensor> branches(torch::Tensor x);
"""

ext = load_inline(
    name="missing_record_stream_04",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["branches"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        mean, gated = ext.branches(x)
        return mean, gated
