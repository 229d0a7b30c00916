# task: batch_norm_1d
# expect: refused
# contract: module_buffers
# why: In training mode nn.BatchNorm1d updates running_mean, running_var and num_batches_tracked; this answer
#      leaves them as they were, so that the buffers of the module (state_dict(), and every result after eval())
#      differ from the reference's after a call. The output itself is right.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void batch_norm(const float* __restrict__ x, const float* __restrict__ weight, const float* __restrict__ bias,
                           float* __restrict__ y, int batch, int features, float eps) {
    __shared__ float sums[32][33];
    const int f = blockIdx.x * 32 + threadIdx.x;
    float sum = 0.f;
    if (f < features) {
        for (int b = threadIdx.y; b < batch; b += 32) sum += x[b * features + f];
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    for (int s = 16; s > 0; s >>= 1) {
        if (threadIdx.y < s) sums[threadIdx.y][threadIdx.x] += sums[threadIdx.y + s][threadIdx.x];
        __syncthreads();
    }
    const float mean = sums[0][threadIdx.x] / batch;
    __syncthreads();
    sum = 0.f;
    if (f < features) {
        for (int b = threadIdx.y; b < batch; b += 32) {
            const float d = x[b * features + f] - mean;
            sum += d * d;
        }
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    for (int s = 16; s > 0; s >>= 1) {
        if (threadIdx.y < s) sums[threadIdx.y][threadIdx.x] += sums[threadIdx.y + s][threadIdx.x];
        __syncthreads();
    }
    if (f >= features) return;
    const float scale = rsqrtf(sums[0][threadIdx.x] / batch + eps) * weight[f];
    for (int b = threadIdx.y; b < batch; b += 32) y[b * features + f] = (x[b * features + f] - mean) * scale + bias[f];
}

torch::Tensor batch_norm_train(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
    auto y = torch::empty_like(x);
    const int batch = x.size(0), features = x.size(1);
    batch_norm<<<(features + 31) / 32, dim3(32, 32), 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), batch, features, (float)eps);
    return y;
}
"""

cpp_source = """
torch::Tensor batch_norm_train(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps);
"""

ext = load_inline(
    name="running_statistics_not_updated_28",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["batch_norm_train"],
)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.bn = nn.BatchNorm1d(features)

    def forward(self, x):
        return ext.batch_norm_train(x.contiguous(), self.bn.weight, self.bn.bias, self.bn.eps)
