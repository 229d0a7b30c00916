# task: zero_crossings
# expect: refused
# why: A sign change is taken to be a * b < 0: for samples below about 1e-23 (normal float32 numbers, a signal
#      in volts at a tiny scale) the product underflows to -0, which is not below 0, and nothing is counted; the
#      reference multiplies signs.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void crossings(const float* __restrict__ x, int64_t* __restrict__ out, int samples) {
    __shared__ int parts[4];
    const float* row = x + (size_t)blockIdx.x * samples;
    int count = 0;
    for (int s = threadIdx.x; s + 1 < samples; s += 128) count += row[s] * row[s + 1] < 0.f;
    for (int o = 16; o > 0; o >>= 1) count += __shfl_down_sync(0xffffffffu, count, o);
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = count;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = parts[0] + parts[1] + parts[2] + parts[3];
}

torch::Tensor zero_crossings(torch::Tensor x) {
    auto out = torch::empty({x.size(0)}, x.options().dtype(torch::kInt64));
    crossings<<<x.size(0), 128, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<int64_t>(),
                                                                      x.size(1));
    return out;
}
"""

cpp_source = """
torch::Tensor zero_crossings(torch::Tensor x);
"""

ext = load_inline(
    name="sign_of_a_product_that_underflows_21",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["zero_crossings"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.zero_crossings(x.contiguous())
