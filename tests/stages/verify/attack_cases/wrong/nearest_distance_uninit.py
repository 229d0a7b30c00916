# task: nearest_squared_distance
# expect: refused
# why: The output of torch::empty is never set to +inf before the blocks update it with atomicMin on the bits:
#      where the memory holds anything that is smaller as an unsigned number than the squared distance (0 in fresh
#      memory, results of earlier calls in the caching allocator), the minimum is that garbage (initcheck: read of
#      uninitialised global memory). Only memory that happens to hold NaNs or 0xFFFFFFFF gives the right result.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kThreads = 128;

__global__ void nearest_kernel(const float* __restrict__ a, const float* __restrict__ b, float* out,
                               int n, int m) {
    __shared__ float sb[kThreads * 3];
    const int batch = blockIdx.z;
    const int i = blockIdx.x * kThreads + threadIdx.x;
    const int j0 = blockIdx.y * kThreads;
    const int count = min(kThreads, m - j0);
    const float* pb = b + ((size_t)batch * m + j0) * 3;
    for (int k = threadIdx.x; k < count * 3; k += kThreads) sb[k] = pb[k];
    __syncthreads();
    if (i >= n) return;
    const float* pa = a + ((size_t)batch * n + i) * 3;
    const float x = pa[0], y = pa[1], z = pa[2];
    float best = INFINITY;
    for (int j = 0; j < count; ++j) {
        const float dx = x - sb[3 * j], dy = y - sb[3 * j + 1], dz = z - sb[3 * j + 2];
        best = fminf(best, dx * dx + dy * dy + dz * dz);
    }
    // Squared distances are not negative, so their bits compare like the numbers.
    atomicMin(reinterpret_cast<unsigned int*>(&out[(size_t)batch * n + i]), __float_as_uint(best));
}

torch::Tensor nearest_squared(torch::Tensor a, torch::Tensor b) {
    const int batch = a.size(0), n = a.size(1), m = b.size(1);
    auto out = torch::empty({batch, n}, a.options());
    dim3 grid((n + kThreads - 1) / kThreads, (m + kThreads - 1) / kThreads, batch);
    nearest_kernel<<<grid, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), n, m);
    return out;
}
"""

cpp_source = """
torch::Tensor nearest_squared(torch::Tensor a, torch::Tensor b);
"""

ops = load_inline(
    name="nearest_distance_uninit",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["nearest_squared"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return ops.nearest_squared(a, b)
