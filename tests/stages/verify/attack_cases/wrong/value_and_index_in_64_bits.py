# task: latest_event
# expect: refused
# why: Value and index share one 64-bit key, (value << 16) | (65535 - index): values beyond 2^47 (times in
#      nanoseconds since 1970 are near 2^60) lose their upper 16 bits, so that both the value and the order are
#      wrong.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
#include <climits>
__global__ void latest(const int64_t* __restrict__ t, int64_t* __restrict__ value, int64_t* __restrict__ index,
                       int events) {
    __shared__ long long best_of_warp[8];
    const int64_t* row = t + (size_t)blockIdx.x * events;
    long long best = LLONG_MIN;
    for (int e = threadIdx.x; e < events; e += blockDim.x) {
        const long long key = (long long)(((unsigned long long)row[e] << 16) | (unsigned)(65535 - e));
        if (key > best) best = key;
    }
    for (int o = 16; o > 0; o >>= 1) {
        const long long other = __shfl_down_sync(0xffffffffu, best, o);
        if (other > best) best = other;
    }
    if ((threadIdx.x & 31) == 0) best_of_warp[threadIdx.x >> 5] = best;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) {
            if (best_of_warp[w] > best) best = best_of_warp[w];
        }
        value[blockIdx.x] = best >> 16;
        index[blockIdx.x] = 65535 - (best & 65535);
    }
}

std::vector<torch::Tensor> latest_event(torch::Tensor t) {
    const int users = t.size(0), events = t.size(1);
    auto value = torch::empty({users}, t.options()), index = torch::empty({users}, t.options());
    latest<<<users, 256, 0, at::cuda::getCurrentCUDAStream()>>>(t.data_ptr<int64_t>(), value.data_ptr<int64_t>(),
                                                                index.data_ptr<int64_t>(), events);
    return {value, index};
}
"""

cpp_source = """
std::vector<torch::Tensor> latest_event(torch::Tensor t);
"""

ext = load_inline(
    name="value_and_index_in_64_bits_07",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["latest_event"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, times):
        value, index = ext.latest_event(times.contiguous())
        return value, index
