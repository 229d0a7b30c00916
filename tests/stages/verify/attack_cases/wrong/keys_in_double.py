# task: sort_amounts
# expect: refused
# why: The int64 keys are sorted as double: numbers beyond 2 ** 53, such as times in nanoseconds, lose their
#      last digits.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void bitonic(const int64_t* __restrict__ x, int64_t* __restrict__ y, int cols) {
    __shared__ double keys[512];
    const int t = threadIdx.x;
    keys[t] = t < cols ? (double)x[(size_t)blockIdx.x * cols + t] : 1e300;
    __syncthreads();
    for (int size = 2; size <= 512; size <<= 1) {
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
            const int other = t ^ stride;
            if (other > t) {
                const bool ascending = (t & size) == 0;
                const double a = keys[t], b = keys[other];
                if ((a > b) == ascending) {
                    keys[t] = b;
                    keys[other] = a;
                }
            }
            __syncthreads();
        }
    }
    if (t < cols) y[(size_t)blockIdx.x * cols + t] = (int64_t)keys[t];
}

torch::Tensor sort_rows(torch::Tensor x) {
    TORCH_CHECK(x.size(1) <= 512, "at most 512 columns");
    auto y = torch::empty_like(x);
    bitonic<<<x.size(0), 512, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<int64_t>(), y.data_ptr<int64_t>(), x.size(1));
    return y;
}
"""

cpp_source = """
torch::Tensor sort_rows(torch::Tensor x);
"""

ext = load_inline(
    name="keys_in_double",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["sort_rows"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, amounts):
        return ext.sort_rows(amounts.contiguous())
