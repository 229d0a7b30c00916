# task: grouped_affine
# expect: refused
# why: One pinned staging buffer is refilled for the next 8 groups right after cudaMemcpyAsync has been issued for
#      the last ones. The copy waits in the stream behind the kernel before it, so the host overwrites the buffer
#      before it is read: from the second round on, groups get the scales and shifts of later groups (there is no
#      event or synchronisation before the refill).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kBatch = 8;

__global__ void affine_kernel(const float* __restrict__ x, float* __restrict__ y, const float* __restrict__ params,
                              int first, int per_group) {
    const int g = first + blockIdx.y;
    const float scale = params[blockIdx.y], shift = params[kBatch + blockIdx.y];
    const size_t base = (size_t)g * per_group;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < per_group; i += blockDim.x * gridDim.x)
        y[base + i] = x[base + i] * scale + shift;
}

torch::Tensor grouped_affine(torch::Tensor x, std::vector<double> scale, std::vector<double> shift) {
    auto y = torch::empty_like(x);
    const int groups = x.size(0), per_group = x.size(1) * x.size(2);
    auto stream = at::cuda::getCurrentCUDAStream();
    auto params = torch::empty({2 * kBatch}, x.options());
    static float* staging = nullptr;   // pinned, so that the copies are asynchronous
    if (staging == nullptr) cudaMallocHost(&staging, 2 * kBatch * sizeof(float));
    for (int first = 0; first < groups; first += kBatch) {
        const int count = std::min(kBatch, groups - first);
        for (int k = 0; k < count; ++k) {
            staging[k] = (float)scale[first + k];
            staging[kBatch + k] = (float)shift[first + k];
        }
        cudaMemcpyAsync(params.data_ptr<float>(), staging, 2 * kBatch * sizeof(float), cudaMemcpyHostToDevice, stream);
        dim3 grid(std::min((per_group + 255) / 256, 128), count);
        affine_kernel<<<grid, 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), params.data_ptr<float>(),
                                                first, per_group);
    }
    return y;
}
"""

cpp_source = """
torch::Tensor grouped_affine(torch::Tensor x, std::vector<double> scale, std::vector<double> shift);
"""

ops = load_inline(
    name="grouped_affine_staging",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["grouped_affine"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self, scale, shift):
        super().__init__()
        self.scale = [float(v) for v in scale]
        self.shift = [float(v) for v in shift]

    def forward(self, x):
        return ops.grouped_affine(x, self.scale, self.shift)
