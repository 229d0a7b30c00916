# task: segment_sum
# expect: refused
# why: Partial sums of a segment that crosses the border between two blocks are joined by a second kernel, which
#      takes the last part of one block and the first of the next: a segment that fills a whole block of 256 and
#      goes on on both sides has three parts, of which pairs are written over each other. The task's own
#      segments have 8 elements on average; long ones are as valid.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kBlock = 256;

__global__ void sum_runs(const float* __restrict__ v, const int64_t* __restrict__ ids, float* __restrict__ out,
                         float* first_sum, float* last_sum, int n) {
    __shared__ float value[kBlock];
    __shared__ int id[kBlock];
    const int t = threadIdx.x, base = blockIdx.x * kBlock, count = min(kBlock, n - base);
    if (t < count) {
        value[t] = v[base + t];
        id[t] = (int)ids[base + t];
    }
    __syncthreads();
    if (t >= count || (t > 0 && id[t - 1] == id[t])) return;
    float sum = 0.f;
    int end = t;
    while (end < count && id[end] == id[t]) sum += value[end++];
    if (t == 0) first_sum[blockIdx.x] = sum;
    if (end == count) last_sum[blockIdx.x] = sum;
    if (t > 0 && end < count) out[id[t]] = sum;  // this block's own
}

// The last run of each block, with what the next block has of it; and a first run that is the block's own.
__global__ void join_runs(const int64_t* __restrict__ ids, float* out, const float* __restrict__ first_sum,
                          const float* __restrict__ last_sum, int n, int blocks) {
    const int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks) return;
    const int base = b * kBlock, end = min(n, base + kBlock);
    const int64_t first = ids[base], last = ids[end - 1];
    float sum = last_sum[b];
    if (end < n && ids[end] == last) sum += first_sum[b + 1];
    out[last] = sum;
    if (first != last && (b == 0 || ids[base - 1] != first)) out[first] = first_sum[b];
}

torch::Tensor segment_sum(torch::Tensor values, torch::Tensor ids, int64_t segments) {
    const int n = values.numel(), blocks = (n + kBlock - 1) / kBlock;
    auto out = torch::zeros({segments}, values.options());
    auto parts = torch::empty({2, blocks}, values.options());
    float* first = parts.data_ptr<float>();
    auto stream = at::cuda::getCurrentCUDAStream();
    sum_runs<<<blocks, kBlock, 0, stream>>>(values.data_ptr<float>(), ids.data_ptr<int64_t>(), out.data_ptr<float>(), first,
                                            first + blocks, n);
    join_runs<<<(blocks + 127) / 128, 128, 0, stream>>>(ids.data_ptr<int64_t>(), out.data_ptr<float>(), first,
                                                       first + blocks, n, blocks);
    return out;
}
"""

cpp_source = """
torch::Tensor segment_sum(torch::Tensor values, torch::Tensor ids, int64_t segments);
"""

ext = load_inline(
    name="segment_over_three_blocks_20",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["segment_sum"],
)


class ModelNew(nn.Module):
    def __init__(self, segments):
        super().__init__()
        self.segments = segments

    def forward(self, values, ids):
        return ext.segment_sum(values.contiguous(), ids.contiguous(), self.segments)
