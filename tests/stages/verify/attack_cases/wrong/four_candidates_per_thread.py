# task: topk_over_time
# expect: refused
# why: Each of 64 threads keeps only the best 4 of its 16 neighbouring time steps: if 5 or more of the 8 largest
#      of a channel are neighbours (a burst, as in any real signal), the fifth is lost and a smaller one is
#      returned.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
#include <cfloat>
constexpr int kThreads = 64, kKept = 4, kK = 8;

__global__ void topk_time(const float* __restrict__ x, float* __restrict__ out, int time, int channels) {
    __shared__ float pool[kThreads * kKept];
    __shared__ float top[kThreads];
    __shared__ int place[kThreads];
    const int channel = blockIdx.x, t = threadIdx.x, per = (time + kThreads - 1) / kThreads;
    const float* p = x + (size_t)blockIdx.y * time * channels + channel;
    float best[kKept];
    for (int k = 0; k < kKept; ++k) best[k] = -FLT_MAX;
    for (int i = t * per; i < min((t + 1) * per, time); ++i) {
        float v = p[(size_t)i * channels];
#pragma unroll
        for (int k = 0; k < kKept; ++k) {
            if (v > best[k]) {
                const float swap = best[k];
                best[k] = v;
                v = swap;
            }
        }
    }
    for (int k = 0; k < kKept; ++k) pool[t * kKept + k] = best[k];
    __syncthreads();
    int head = 0;
    for (int k = 0; k < kK; ++k) {
        top[t] = head < kKept ? pool[t * kKept + head] : -FLT_MAX;
        place[t] = t;
        __syncthreads();
        for (int s = kThreads / 2; s > 0; s >>= 1) {
            if (t < s && top[t + s] > top[t]) {
                top[t] = top[t + s];
                place[t] = place[t + s];
            }
            __syncthreads();
        }
        if (place[0] == t) ++head;
        if (t == 0) out[((size_t)blockIdx.y * kK + k) * channels + channel] = top[0];
        __syncthreads();
    }
}

torch::Tensor topk_over_time(torch::Tensor x, int64_t k) {
    TORCH_CHECK(k == kK, "built for k = 8");
    const int batch = x.size(0), time = x.size(1), channels = x.size(2);
    auto out = torch::empty({batch, k, channels}, x.options());
    topk_time<<<dim3(channels, batch), kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), time, channels);
    return out;
}
"""

cpp_source = """
torch::Tensor topk_over_time(torch::Tensor x, int64_t k);
"""

ext = load_inline(
    name="four_candidates_per_thread_10",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["topk_over_time"],
)


class ModelNew(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        return ext.topk_over_time(x.contiguous(), self.k)
