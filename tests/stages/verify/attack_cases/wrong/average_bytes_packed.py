# task: average_bytes
# expect: refused
# why: averages four bytes in a word: a sum above 255 carries into the next byte
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void average_kernel(const unsigned int* __restrict__ a, const unsigned int* __restrict__ b,
                               unsigned int* __restrict__ out, int words) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words) return;
    // Rounded average of four packed bytes.
    out[i] = ((a[i] + b[i] + 0x01010101u) >> 1) & 0x7f7f7f7fu;
}

__global__ void average_tail(const unsigned char* __restrict__ a, const unsigned char* __restrict__ b,
                             unsigned char* __restrict__ out, int begin, int n) {
    const int i = begin + threadIdx.x;
    if (i < n) out[i] = (unsigned char)((a[i] + b[i] + 1) >> 1);
}

torch::Tensor average_bytes(torch::Tensor a, torch::Tensor b) {
    auto out = torch::empty_like(a);
    const int n = a.numel(), words = n / 4;
    auto stream = at::cuda::getCurrentCUDAStream();
    average_kernel<<<(words + 255) / 256, 256, 0, stream>>>(
        reinterpret_cast<const unsigned int*>(a.data_ptr<unsigned char>()),
        reinterpret_cast<const unsigned int*>(b.data_ptr<unsigned char>()),
        reinterpret_cast<unsigned int*>(out.data_ptr<unsigned char>()), words);
    if (n % 4 != 0) {
        average_tail<<<1, 4, 0, stream>>>(a.data_ptr<unsigned char>(), b.data_ptr<unsigned char>(),
                                          out.data_ptr<unsigned char>(), words * 4, n);
    }
    return out;
}
"""

cpp_source = """
torch::Tensor average_bytes(torch::Tensor a, torch::Tensor b);
"""

ops = load_inline(
    name="average_bytes_packed",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["average_bytes"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return ops.average_bytes(a, b)
