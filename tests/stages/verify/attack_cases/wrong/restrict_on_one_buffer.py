# task: smooth_rows_b
# expect: refused
# why: The kernel is launched with src and dst the same buffer, but both are __restrict__ and src is const: the
#      compiler may load src through the read-only cache, which does not see what the block writes, or keep it
#      in registers over the passes. Undefined behaviour; later passes may work on the values of the first.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void __launch_bounds__(1024) smooth(const float* __restrict__ src, float* __restrict__ dst, int cols, int passes) {
    const size_t base = (size_t)blockIdx.x * cols;
    const int c = threadIdx.x;
    for (int p = 0; p < passes; ++p) {
        float v = 0.f;
        if (c < cols) {
            v = src[base + c];
            if (c > 0) v += src[base + c - 1];
            if (c + 1 < cols) v += src[base + c + 1];
        }
        __syncthreads();
        if (c < cols) dst[base + c] = v * (1.f / 3.f);
        __syncthreads();
    }
}

torch::Tensor smooth_rows(torch::Tensor x, int64_t passes) {
    const int rows = x.size(0), cols = x.size(1);
    TORCH_CHECK(cols <= 1024, "one block a row");
    auto y = torch::empty_like(x);
    auto stream = at::cuda::getCurrentCUDAStream();
    cudaMemcpyAsync(y.data_ptr<float>(), x.data_ptr<float>(), x.numel() * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    smooth<<<rows, 1024, 0, stream>>>(y.data_ptr<float>(), y.data_ptr<float>(), cols, (int)passes);
    return y;
}
"""

cpp_source = """
torch::Tensor smooth_rows(torch::Tensor x, int64_t passes);
"""

ext = load_inline(
    name="restrict_on_one_buffer_23",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["smooth_rows"],
)


class ModelNew(nn.Module):
    def __init__(self, passes):
        super().__init__()
        self.passes = passes

    def forward(self, x):
        return ext.smooth_rows(x.contiguous(), self.passes)
