# task: two_summaries
# expect: correct
# why: style: two kernels on two streams of torch's pool, forked from the current stream by an event and joined by two
#      others; results are allocated on the current stream, which waits for both, so that no recordStream() is
#      needed; one kernel template with functors.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <cmath>

struct SumOp {
    static __device__ float identity() { return 0.f; }
    __device__ float operator()(float a, float b) const { return a + b; }
    __device__ float finish(float v, int n) const { return v / n; }
};

struct MaxOp {
    static __device__ float identity() { return -INFINITY; }
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
    __device__ float finish(float v, int) const { return v; }
};

template <class Op, int BLOCK>
__global__ void reduce_rows(const float* __restrict__ x, float* __restrict__ out, int cols) {
    __shared__ float tree[BLOCK];
    const Op op{};
    const float* row = x + (size_t)blockIdx.x * cols;
    float v = Op::identity();
    for (int c = threadIdx.x; c < cols; c += BLOCK) v = op(v, row[c]);
    tree[threadIdx.x] = v;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) tree[threadIdx.x] = op(tree[threadIdx.x], tree[threadIdx.x + s]);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = op.finish(tree[0], cols);
}

std::vector<torch::Tensor> summaries(torch::Tensor a, torch::Tensor b) {
    auto mean = torch::empty({a.size(0)}, a.options());
    auto largest = torch::empty({b.size(0)}, b.options());
    auto current = at::cuda::getCurrentCUDAStream();
    auto first = at::cuda::getStreamFromPool(), second = at::cuda::getStreamFromPool();

    at::cuda::CUDAEvent start, first_done, second_done;
    start.record(current);
    start.block(first);
    start.block(second);
    reduce_rows<SumOp, 256><<<a.size(0), 256, 0, first>>>(a.data_ptr<float>(), mean.data_ptr<float>(), (int)a.size(1));
    reduce_rows<MaxOp, 128><<<b.size(0), 128, 0, second>>>(b.data_ptr<float>(), largest.data_ptr<float>(), (int)b.size(1));
    first_done.record(first);
    second_done.record(second);
    first_done.block(current);
    second_done.block(current);
    return {mean, largest};
}
"""

ext = load_inline(
    name="summaries_two_streams",
    cpp_sources="std::vector<torch::Tensor> summaries(torch::Tensor a, torch::Tensor b);",
    cuda_sources=cuda_source,
    functions=["summaries"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        mean, largest = ext.summaries(a.contiguous(), b.contiguous())
        return mean, largest
