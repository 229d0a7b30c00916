# task: divide_by_mean_abs
# expect: refused
# why: The accumulator is set to zero for the next call at the end of each call, on a side stream 'to hide it';
#      the next call does not wait for that stream, so that its additions may come before the reset (and be
#      lost) or start from the last call's sum. Races between two calls, not within one.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void add_abs(const float* __restrict__ x, float* acc, int n) {
    float sum = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += fabsf(x[i]);
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(acc, sum);
}

__global__ void divide(const float* __restrict__ x, const float* __restrict__ acc, float* __restrict__ y, int n) {
    const float scale = 1.f / (*acc / n + 1e-6f);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * scale;
}

struct State {
    float* acc = nullptr;
    cudaStream_t side = nullptr;
    cudaEvent_t used = nullptr;
    State() {
        cudaMalloc(reinterpret_cast<void**>(&acc), sizeof(float));
        cudaMemset(acc, 0, sizeof(float));
        cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&used, cudaEventDisableTiming);
    }
};

torch::Tensor divide_by_mean(torch::Tensor x) {
    static State state;
    auto y = torch::empty_like(x);
    const int n = x.numel();
    auto stream = at::cuda::getCurrentCUDAStream();
    add_abs<<<64, 256, 0, stream>>>(x.data_ptr<float>(), state.acc, n);
    divide<<<256, 256, 0, stream>>>(x.data_ptr<float>(), state.acc, y.data_ptr<float>(), n);
    // Reset for the next call, off the critical path.
    cudaEventRecord(state.used, stream);
    cudaStreamWaitEvent(state.side, state.used, 0);
    cudaMemsetAsync(state.acc, 0, sizeof(float), state.side);
    return y;
}
"""

cpp_source = """
torch::Tensor divide_by_mean(torch::Tensor x);
"""

ext = load_inline(
    name="reset_on_a_side_stream_17",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["divide_by_mean"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.divide_by_mean(x.contiguous())
