# task: leaky_relu_big
# expect: correct
# why: a grid as large as fits on the device at once strides over float4 vectors; the grid's size is worked out in the first call
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

static int num_sms = 0;
static int blocks_per_sm = 0;
static int max_blocks = 0;

__device__ __forceinline__ float leaky(float v, float slope) { return v > 0.f ? v : v * slope; }

__global__ void leaky_relu_kernel(const float4* __restrict__ in, float4* __restrict__ out, int n4, float slope) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        float4 v = in[i];
        v.x = leaky(v.x, slope);
        v.y = leaky(v.y, slope);
        v.z = leaky(v.z, slope);
        v.w = leaky(v.w, slope);
        out[i] = v;
    }
}

torch::Tensor leaky_relu_forward(torch::Tensor x, double slope) {
    TORCH_CHECK(x.numel() % 4 == 0, "numel must be divisible by 4");
    const int threads = 256;
    if (max_blocks == 0) {
        // once per process: how many blocks the device holds
        int device = 0;
        C10_CUDA_CHECK(cudaGetDevice(&device));
        C10_CUDA_CHECK(cudaDeviceGetAttribute(&num_sms, cudaDevAttrMultiProcessorCount, device));
        C10_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, leaky_relu_kernel, threads, 0));
        max_blocks = num_sms * blocks_per_sm;
    }
    const int n4 = x.numel() / 4;
    const int blocks = std::min(max_blocks, (n4 + threads - 1) / threads);
    auto y = torch::empty_like(x);
    leaky_relu_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
        reinterpret_cast<const float4*>(x.data_ptr<float>()), reinterpret_cast<float4*>(y.data_ptr<float>()), n4,
        static_cast<float>(slope));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}
"""

module = load_inline(
    name="leaky_relu_persistent",
    cpp_sources="torch::Tensor leaky_relu_forward(torch::Tensor x, double slope);",
    cuda_sources=src,
    functions=["leaky_relu_forward"],
)


class ModelNew(nn.Module):
    def __init__(self, slope):
        super().__init__()
        self.slope = slope

    def forward(self, x):
        return module.leaky_relu_forward(x, self.slope)
