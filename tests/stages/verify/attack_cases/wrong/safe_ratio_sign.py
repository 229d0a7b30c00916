# task: safe_ratio
# expect: refused
# why: torch.nan_to_num maps -inf to -FLT_MAX; here every infinity becomes +FLT_MAX. A nonzero x over y = 0 with
#      different signs (x = -1, y = 0) gives 3.4e38 instead of -3.4e38. Wrong wherever y is 0 and x / y is -inf
#      (also where a finite quotient overflows downwards).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void safe_ratio_kernel(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i] / y[i];
    if (isnan(v)) {
        v = 0.0f;
    } else if (isinf(v)) {
        v = 3.4028234663852886e38f;
    }
    out[i] = v;
}

torch::Tensor safe_ratio(torch::Tensor x, torch::Tensor y) {
    auto out = torch::empty_like(x);
    const int n = x.numel();
    safe_ratio_kernel<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), out.data_ptr<float>(), n);
    return out;
}
"""

cpp_source = """
torch::Tensor safe_ratio(torch::Tensor x, torch::Tensor y);
"""

ops = load_inline(
    name="safe_ratio_sign",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["safe_ratio"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, y):
        return ops.safe_ratio(x, y)
