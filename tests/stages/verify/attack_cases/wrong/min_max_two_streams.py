# task: min_max_normalize
# expect: refused
# why: The row maxima are computed on a second, non-blocking stream that overlaps the minima. The second stream
#      waits for the first (fork), but the first never waits for the second (join): rescale_kernel may read `high`
#      before it has been written (race between streams, uninitialised values).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void row_extreme_kernel(const float* __restrict__ x, float* __restrict__ out, int rows, int cols, float sign) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    const float* p = x + (size_t)row * cols;
    float m = -INFINITY;
    for (int c = lane; c < cols; c += 32) m = fmaxf(m, sign * p[c]);
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    if (lane == 0) out[row] = sign * m;
}

__global__ void rescale_kernel(const float* __restrict__ x, const float* __restrict__ low, const float* __restrict__ high,
                               float* __restrict__ y, int cols) {
    const size_t base = (size_t)blockIdx.x * cols;
    const float lo = low[blockIdx.x], range = high[blockIdx.x] - lo + 1e-6f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) y[base + c] = (x[base + c] - lo) / range;
}

torch::Tensor min_max_normalize(torch::Tensor x) {
    const int rows = x.size(0), cols = x.size(1);
    auto low = torch::empty({rows}, x.options());
    auto high = torch::empty({rows}, x.options());
    auto y = torch::empty_like(x);
    static cudaStream_t side = nullptr;
    static cudaEvent_t ready = nullptr;
    if (side == nullptr) {
        cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
    }
    cudaStream_t main_stream = at::cuda::getCurrentCUDAStream();
    // The side stream starts when the input is ready.
    cudaEventRecord(ready, main_stream);
    cudaStreamWaitEvent(side, ready, 0);
    const int blocks = (rows + 7) / 8;
    row_extreme_kernel<<<blocks, 256, 0, main_stream>>>(x.data_ptr<float>(), low.data_ptr<float>(), rows, cols, -1.0f);
    row_extreme_kernel<<<blocks, 256, 0, side>>>(x.data_ptr<float>(), high.data_ptr<float>(), rows, cols, 1.0f);
    rescale_kernel<<<rows, 256, 0, main_stream>>>(x.data_ptr<float>(), low.data_ptr<float>(), high.data_ptr<float>(),
                                                  y.data_ptr<float>(), cols);
    return y;
}
"""

cpp_source = """
torch::Tensor min_max_normalize(torch::Tensor x);
"""

ops = load_inline(
    name="min_max_two_streams",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["min_max_normalize"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ops.min_max_normalize(x)
