# task: batchnorm_average
# expect: refused
# contract: module_buffers
# why: the cumulative average divides by num_batches_tracked + 1, but nothing counts num_batches_tracked up, so
# each call overwrites running_mean and running_var by those of its own batch. The output and the buffers are right
# after one call but for the counter; after the second call with other values all three buffers are wrong.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>

// A block has 32 columns; its 8 warps share the rows. Two passes: the mean, then the deviations.
__global__ void batchnorm_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                                 const float* __restrict__ bias, float* __restrict__ running_mean,
                                 float* __restrict__ running_var, const int64_t* __restrict__ batches,
                                 float* __restrict__ out, int B, int F, float eps) {
    __shared__ float part[8][33];
    const int tx = threadIdx.x, ty = threadIdx.y, f = blockIdx.x * 32 + tx;
    float s = 0.0f;
    if (f < F) {
        for (int b = ty; b < B; b += 8) s += x[(size_t)b * F + f];
    }
    part[ty][tx] = s;
    __syncthreads();
    float mean = 0.0f;
    for (int i = 0; i < 8; ++i) mean += part[i][tx];
    mean /= (float)B;
    __syncthreads();
    s = 0.0f;
    if (f < F) {
        for (int b = ty; b < B; b += 8) {
            const float d = x[(size_t)b * F + f] - mean;
            s += d * d;
        }
    }
    part[ty][tx] = s;
    __syncthreads();
    float squares = 0.0f;
    for (int i = 0; i < 8; ++i) squares += part[i][tx];
    if (f >= F) return;
    const float scale = weight[f] * rsqrtf(squares / (float)B + eps);
    for (int b = ty; b < B; b += 8) {
        out[(size_t)b * F + f] = (x[(size_t)b * F + f] - mean) * scale + bias[f];
    }
    if (ty == 0) {
        const float factor = 1.0f / (float)(batches[0] + 1);
        running_mean[f] += factor * (mean - running_mean[f]);
        running_var[f] += factor * (squares / (float)(B - 1) - running_var[f]);
    }
}

torch::Tensor batchnorm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor mean,
                        torch::Tensor var, torch::Tensor batches, double eps) {
    x = x.contiguous();
    const int B = x.size(0), F = x.size(1);
    auto out = torch::empty_like(x);
    batchnorm_kernel<<<(F + 31) / 32, dim3(32, 8), 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), mean.data_ptr<float>(),
        var.data_ptr<float>(), batches.data_ptr<int64_t>(), out.data_ptr<float>(), B, F, (float)eps);
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

cpp_src = """
torch::Tensor batchnorm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor mean,
                        torch::Tensor var, torch::Tensor batches, double eps);
"""

ext = load_inline(name="w7_bn_average", cpp_sources=cpp_src, cuda_sources=cuda_src, functions=["batchnorm"])


class ModelNew(nn.Module):
    def __init__(self, features: int):
        super().__init__()
        self.bn = nn.BatchNorm1d(features, momentum=None)

    def forward(self, x):
        bn = self.bn
        return ext.batchnorm(x, bn.weight.detach(), bn.bias.detach(), bn.running_mean, bn.running_var,
                             bn.num_batches_tracked, bn.eps)
