# task: group_norm_silu
# expect: correct
# why: style: torch.autograd.Function around an extension that returns std::tuple (result and saved statistics);
#      two passes in double with shuffles of double; SiLU fused.
from typing import Tuple

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_CPP = """
#include <tuple>
std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> group_norm_silu(
    const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, int64_t groups, double eps);
"""

_CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <tuple>

__device__ double block_sum(double v, double* shared) {
    const unsigned lane = threadIdx.x & 31u, warp = threadIdx.x >> 5;
    for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
    if (lane == 0) shared[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < (blockDim.x >> 5) ? shared[lane] : 0.0;
        for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
        if (lane == 0) shared[0] = v;
    }
    __syncthreads();
    const double total = shared[0];
    __syncthreads();
    return total;
}

__global__ void group_norm_silu_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                                       const float* __restrict__ bias, float* __restrict__ y,
                                       float* __restrict__ mean_out, float* __restrict__ rstd_out,
                                       int channels_per_group, int groups, int plane, double eps) {
    __shared__ double shared[32];
    const int n_group = blockIdx.x;  // image * groups + group
    const int group = n_group % groups;
    const int count = channels_per_group * plane;
    const float* in = x + (long)n_group * count;
    float* out = y + (long)n_group * count;

    double s = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) s += (double)in[i];
    const double mean = block_sum(s, shared) / count;
    double q = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        const double d = (double)in[i] - mean;
        q += d * d;
    }
    const double rstd = 1.0 / sqrt(block_sum(q, shared) / count + eps);

    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        const int channel = group * channels_per_group + i / plane;
        const float z = (float)(((double)in[i] - mean) * rstd) * weight[channel] + bias[channel];
        out[i] = z / (1.0f + expf(-z));
    }
    if (threadIdx.x == 0) {
        mean_out[n_group] = (float)mean;
        rstd_out[n_group] = (float)rstd;
    }
}

std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> group_norm_silu(
    const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, int64_t groups, double eps) {
    TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.dtype() == torch::kFloat);
    const int64_t n = x.size(0), c = x.size(1);
    TORCH_CHECK(c % groups == 0, "channels must be divisible by groups");
    const int64_t plane = x.numel() / (n * c);
    const at::cuda::CUDAGuard device_guard(x.device());
    torch::Tensor y = torch::empty_like(x);
    torch::Tensor mean = torch::empty({n, groups}, x.options());
    torch::Tensor rstd = torch::empty({n, groups}, x.options());
    cudaStream_t stream = at::cuda::getCurrentCUDAStream().stream();
    group_norm_silu_kernel<<<(unsigned)(n * groups), 256, 0, stream>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(),
        mean.data_ptr<float>(), rstd.data_ptr<float>(), (int)(c / groups), (int)groups, (int)plane, eps);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return std::make_tuple(y, mean, rstd);
}
"""

_ext = load_inline(
    name="group_norm_silu_autograd",
    cpp_sources=_CPP,
    cuda_sources=_CUDA,
    functions=["group_norm_silu"],
)


class GroupNormSiLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, groups: int, eps: float):
        statistics: Tuple[torch.Tensor, ...]
        y, *statistics = _ext.group_norm_silu(x, weight, bias, groups, eps)
        ctx.save_for_backward(x, weight, bias, *statistics)
        ctx.groups = groups
        return y

    @staticmethod
    def backward(ctx, grad_output):
        raise NotImplementedError("this kernel is for inference")


class ModelNew(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)

    def forward(self, x):
        return GroupNormSiLU.apply(
            x.contiguous(), self.norm.weight, self.norm.bias, self.norm.num_groups, self.norm.eps
        )
