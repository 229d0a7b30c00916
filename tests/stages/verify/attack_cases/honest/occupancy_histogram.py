# task: ../../tasks/histogram
# expect: correct
# why: the occupancy API and the number of multiprocessors choose the grid of a grid-stride loop; counts in shared memory, then 64-bit atomics.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <algorithm>
__global__ void histogram_kernel(const int64_t* __restrict__ values, unsigned long long* __restrict__ counts, int64_t n,
                                 int bins) {
    extern __shared__ unsigned local[];
    for (int b = threadIdx.x; b < bins; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
        const int64_t v = values[i];
        if (v >= 0 && v < bins) atomicAdd(&local[v], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x) {
        if (local[b] != 0) atomicAdd(&counts[b], static_cast<unsigned long long>(local[b]));
    }
}

torch::Tensor histogram(torch::Tensor values, int64_t bins) {
    TORCH_CHECK(values.scalar_type() == torch::kInt64 && values.dim() == 1, "one dimension of int64");
    values = values.contiguous();
    const int64_t n = values.numel();
    auto counts = torch::empty({bins}, values.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    C10_CUDA_CHECK(cudaMemsetAsync(counts.data_ptr(), 0, bins * sizeof(int64_t), stream));
    const int threads = 256;
    const size_t shared = bins * sizeof(unsigned);
    int device = 0, multiprocessors = 0, resident = 0;
    C10_CUDA_CHECK(cudaGetDevice(&device));
    C10_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    C10_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, histogram_kernel, threads, shared));
    const int64_t wanted = (n + threads - 1) / threads;
    const int64_t most = static_cast<int64_t>(multiprocessors) * std::max(resident, 1);
    const int blocks = static_cast<int>(std::max<int64_t>(1, std::min(wanted, most)));
    histogram_kernel<<<blocks, threads, shared, stream>>>(
        values.data_ptr<int64_t>(), reinterpret_cast<unsigned long long*>(counts.data_ptr<int64_t>()), n,
        static_cast<int>(bins));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return counts;
}
"""

ext = load_inline(name="w8_occupancy_histogram", cpp_sources='torch::Tensor histogram(torch::Tensor values, int64_t bins);',
                  cuda_sources=cuda_src, functions=['histogram'])


class ModelNew(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.bins = bins

    def forward(self, values):
        return ext.histogram(values, self.bins)
