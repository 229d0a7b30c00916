# task: signal_energy
# expect: refused
# why: Each thread adds the squares of 32 samples in an int before the 64-bit reduction of the block: loud
#      samples (beyond 8191 on average, up to 32767) leave 2^31. The task's own samples are below 1000.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void energy(const short2* __restrict__ x, long long* __restrict__ out, int pairs) {
    __shared__ long long parts[8];
    const short2* row = x + (size_t)blockIdx.x * pairs;
    int own = 0;
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
        const short2 v = row[i];
        own += v.x * v.x + v.y * v.y;
    }
    long long sum = own;
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x < 8) {
        sum = parts[threadIdx.x];
        for (int o = 4; o > 0; o >>= 1) sum += __shfl_down_sync(0xffu, sum, o);
        if (threadIdx.x == 0) out[blockIdx.x] = sum;
    }
}

torch::Tensor signal_energy(torch::Tensor x) {
    const int frames = x.size(0), samples = x.size(1);
    TORCH_CHECK(samples % 2 == 0);
    auto out = torch::empty({frames}, x.options().dtype(torch::kInt64));
    energy<<<frames, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        reinterpret_cast<const short2*>(x.data_ptr<int16_t>()), reinterpret_cast<long long*>(out.data_ptr<int64_t>()),
        samples / 2);
    return out;
}
"""

cpp_source = """
torch::Tensor signal_energy(torch::Tensor x);
"""

ext = load_inline(
    name="thread_energy_in_32_bits_09",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["signal_energy"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.signal_energy(x.contiguous())
