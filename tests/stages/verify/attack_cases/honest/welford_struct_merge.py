# task: group_norm_b
# expect: correct
# why: style: Welford's algorithm with a struct of count, mean and m2, merged by Chan's formula through warp shuffles
#      and shared memory, a block a group.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

struct Welford {
    float mean = 0.f, m2 = 0.f, count = 0.f;

    __device__ __forceinline__ void push(float v) {
        count += 1.f;
        const float delta = v - mean;
        mean += delta / count;
        m2 += delta * (v - mean);
    }

    __device__ __forceinline__ void merge(float other_mean, float other_m2, float other_count) {
        const float total = count + other_count;
        if (other_count == 0.f) return;
        const float delta = other_mean - mean;
        const float share = other_count / total;
        mean += delta * share;
        m2 += other_m2 + delta * delta * count * share;
        count = total;
    }
};

__device__ __forceinline__ void warp_merge(Welford& w) {
    for (int offset = 16; offset > 0; offset /= 2) {
        const float mean = __shfl_down_sync(0xffffffff, w.mean, offset);
        const float m2 = __shfl_down_sync(0xffffffff, w.m2, offset);
        const float count = __shfl_down_sync(0xffffffff, w.count, offset);
        w.merge(mean, m2, count);
    }
}

__global__ void group_norm_kernel(const float* __restrict__ x, const float* __restrict__ gamma,
                                  const float* __restrict__ beta, float* __restrict__ y, int channels, int groups,
                                  int plane, float eps) {
    __shared__ float s_mean[32], s_m2[32], s_count[32];
    __shared__ float s_stats[2];
    const int group = blockIdx.x % groups;
    const int channels_of_group = channels / groups;
    const int size = channels_of_group * plane;
    const float* in = x + (size_t)blockIdx.x * size;
    float* out = y + (size_t)blockIdx.x * size;

    Welford w;
    for (int i = threadIdx.x; i < size; i += blockDim.x) w.push(in[i]);
    warp_merge(w);

    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    if (lane == 0) {
        s_mean[warp] = w.mean;
        s_m2[warp] = w.m2;
        s_count[warp] = w.count;
    }
    __syncthreads();
    if (warp == 0) {
        Welford all;
        if (lane < warps) {
            all.mean = s_mean[lane];
            all.m2 = s_m2[lane];
            all.count = s_count[lane];
        }
        warp_merge(all);
        if (lane == 0) {
            s_stats[0] = all.mean;
            s_stats[1] = rsqrtf(all.m2 / size + eps);
        }
    }
    __syncthreads();

    const float mean = s_stats[0], rstd = s_stats[1];
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        const int c = group * channels_of_group + i / plane;
        out[i] = (in[i] - mean) * rstd * gamma[c] + beta[c];
    }
}

torch::Tensor group_norm(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, int64_t groups, double eps) {
    x = x.contiguous();
    auto y = torch::empty_like(x);
    const int batch = x.size(0), channels = x.size(1);
    const int plane = x.numel() / (batch * channels);
    group_norm_kernel<<<batch * groups, 512, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(), y.data_ptr<float>(), channels, groups, plane,
        static_cast<float>(eps));
    return y;
}
"""

ext = load_inline(
    name="group_norm_welford",
    cpp_sources="torch::Tensor group_norm(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, int64_t groups, double eps);",
    cuda_sources=SOURCE,
    functions="group_norm",
)


class ModelNew(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)

    def forward(self, x):
        n = self.norm
        return ext.group_norm(x, n.weight, n.bias, n.num_groups, n.eps)
