# task: positives
# expect: refused
# why: The number of selected elements is copied to pinned memory by cudaMemcpyAsync and read by the host
#      without waiting for the stream: on a GPU the host reads the number of the call before (0 in the first),
#      so that the result has the wrong size and the kernel writes beyond it.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void count_blocks(const float* __restrict__ x, int* __restrict__ counts, int n) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    const int count = __syncthreads_count(i < n && x[i] > 0.f);
    if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

__global__ void scan_counts(int* counts, int* total, int blocks) {
    int sum = 0;
    for (int b = 0; b < blocks; ++b) {
        const int count = counts[b];
        counts[b] = sum;
        sum += count;
    }
    *total = sum;
}

__global__ void compact(const float* __restrict__ x, const int* __restrict__ offsets, float* __restrict__ out, int n) {
    __shared__ int of_warp[kThreads / 32];
    const int i = blockIdx.x * kThreads + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const float v = i < n ? x[i] : 0.f;
    const unsigned ballot = __ballot_sync(0xffffffffu, v > 0.f);
    if (lane == 0) of_warp[warp] = __popc(ballot);
    __syncthreads();
    int place = offsets[blockIdx.x] + __popc(ballot & ((1u << lane) - 1));
    for (int w = 0; w < warp; ++w) place += of_warp[w];
    if (v > 0.f) out[place] = v;
}

torch::Tensor positives(torch::Tensor x) {
    static int* host_total = nullptr;
    if (host_total == nullptr) {
        cudaHostAlloc(reinterpret_cast<void**>(&host_total), sizeof(int), cudaHostAllocDefault);
        *host_total = 0;
    }
    const int n = x.numel(), blocks = (n + kThreads - 1) / kThreads;
    auto counts = torch::empty({blocks + 1}, x.options().dtype(torch::kInt32));
    int* total = counts.data_ptr<int>() + blocks;
    auto stream = at::cuda::getCurrentCUDAStream();
    count_blocks<<<blocks, kThreads, 0, stream>>>(x.data_ptr<float>(), counts.data_ptr<int>(), n);
    scan_counts<<<1, 1, 0, stream>>>(counts.data_ptr<int>(), total, blocks);
    cudaMemcpyAsync(host_total, total, sizeof(int), cudaMemcpyDeviceToHost, stream);
    auto out = torch::empty({*host_total}, x.options());
    compact<<<blocks, kThreads, 0, stream>>>(x.data_ptr<float>(), counts.data_ptr<int>(), out.data_ptr<float>(), n);
    return out;
}
"""

cpp_source = """
torch::Tensor positives(torch::Tensor x);
"""

ext = load_inline(
    name="count_read_before_it_is_there_26",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["positives"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.positives(x)
