# task: invert_volume
# expect: refused
# why: The number of elements is passed as int: 2048 * 1024 * 1024 = 2**31 becomes -2147483648, so (i >= total)
#      holds for every thread and nothing is written; the output is uninitialised memory. Only at 2**31 or more
#      elements, which is the task's own size.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void invert_kernel(const unsigned char* __restrict__ x, unsigned char* __restrict__ y, int total) {
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i >= total) return;
    if (i + 3 < total) {
        const uchar4 v = *reinterpret_cast<const uchar4*>(x + i);
        *reinterpret_cast<uchar4*>(y + i) = make_uchar4(255 - v.x, 255 - v.y, 255 - v.z, 255 - v.w);
    } else {
        for (int k = i; k < total; ++k) y[k] = 255 - x[k];
    }
}

torch::Tensor invert(torch::Tensor x) {
    auto y = torch::empty_like(x);
    const int64_t per_block = 256 * 4;
    const unsigned int blocks = (unsigned int)((x.numel() + per_block - 1) / per_block);
    invert_kernel<<<blocks, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<unsigned char>(), y.data_ptr<unsigned char>(), x.numel());
    return y;
}
"""

cpp_source = """
torch::Tensor invert(torch::Tensor x);
"""

ops = load_inline(
    name="invert_volume_int",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["invert"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.invert(x)
