# task: fir_by_input
# expect: refused
# why: The taps lie in shared memory and are read by __ldg(): it is a load from global memory (ld.global.nc),
#      for which an address of shared memory is invalid, so that the kernel ends with an illegal address or
#      reads something else.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void fir(const float* __restrict__ x, const float* __restrict__ taps, float* __restrict__ y, int length, int count,
                    int out_length) {
    extern __shared__ float s_taps[];
    for (int k = threadIdx.x; k < count; k += blockDim.x) s_taps[k] = taps[k];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= out_length) return;
    const float* in = x + (size_t)blockIdx.y * length + i;
    float sum = 0.f;
    for (int k = 0; k < count; ++k) sum = fmaf(__ldg(&s_taps[k]), __ldg(&in[k]), sum);
    y[(size_t)blockIdx.y * out_length + i] = sum;
}

torch::Tensor fir_filter(torch::Tensor x, torch::Tensor taps) {
    const int channels = x.size(0), length = x.size(1), count = taps.numel(), out_length = length - count + 1;
    auto y = torch::empty({channels, out_length}, x.options());
    fir<<<dim3((out_length + 255) / 256, channels), 256, count * sizeof(float), at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), taps.data_ptr<float>(), y.data_ptr<float>(), length, count, out_length);
    return y;
}
"""

cpp_source = """
torch::Tensor fir_filter(torch::Tensor x, torch::Tensor taps);
"""

ext = load_inline(
    name="read_only_load_of_shared_memory_25",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["fir_filter"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, taps):
        return ext.fir_filter(x.contiguous(), taps.contiguous())
