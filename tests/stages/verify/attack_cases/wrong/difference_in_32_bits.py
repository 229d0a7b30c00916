# task: counter_gap
# expect: refused
# why: The difference of the two int32 operands is taken in int and only then widened to int64: where it is
#      beyond 2^31 (2000000000 and -2000000000) it wraps.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void gap(const int4* __restrict__ a, const int4* __restrict__ b, longlong2* __restrict__ out, int n4) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    const int4 p = a[i], q = b[i];
    out[2 * i] = make_longlong2(abs(p.x - q.x), abs(p.y - q.y));
    out[2 * i + 1] = make_longlong2(abs(p.z - q.z), abs(p.w - q.w));
}

torch::Tensor counter_gap(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.numel() % 4 == 0 && a.sizes() == b.sizes());
    auto out = torch::empty(a.sizes(), a.options().dtype(torch::kInt64));
    const int n4 = a.numel() / 4;
    gap<<<(n4 + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        reinterpret_cast<const int4*>(a.data_ptr<int>()), reinterpret_cast<const int4*>(b.data_ptr<int>()),
        reinterpret_cast<longlong2*>(out.data_ptr<int64_t>()), n4);
    return out;
}
"""

cpp_source = """
torch::Tensor counter_gap(torch::Tensor a, torch::Tensor b);
"""

ext = load_inline(
    name="difference_in_32_bits_08",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["counter_gap"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return ext.counter_gap(a.contiguous(), b.contiguous())
