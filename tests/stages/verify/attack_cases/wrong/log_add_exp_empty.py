# task: log_add_exp
# expect: refused
# contract: any_values
# why: max + log1p(exp(-|a - b|)) is NaN where a and b are both -inf (-inf - -inf), where torch.logaddexp returns
#      -inf: log-probabilities of impossible states, for which -inf is the usual value.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void log_add_exp_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float u = a[i], v = b[i];
    out[i] = fmaxf(u, v) + log1pf(expf(-fabsf(u - v)));
}

torch::Tensor log_add_exp(torch::Tensor a, torch::Tensor b) {
    auto out = torch::empty_like(a);
    const int n = a.numel();
    log_add_exp_kernel<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), n);
    return out;
}
"""

cpp_source = """
torch::Tensor log_add_exp(torch::Tensor a, torch::Tensor b);
"""

ops = load_inline(
    name="log_add_exp_empty",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["log_add_exp"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return ops.log_add_exp(a, b)
