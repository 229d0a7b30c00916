# task: ../../tasks/gemm_fused
# expect: correct
# why: a tiled product with templates; a checking macro writes __FILE__ and __LINE__ to a string stream and raises with its text.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>
#include <sstream>
#include <stdexcept>

#define CHECK_CUDA(call)                                                                              \
    do {                                                                                              \
        const cudaError_t status_ = (call);                                                           \
        if (status_ != cudaSuccess) {                                                                 \
            std::ostringstream message_;                                                              \
            message_ << __FILE__ << ":" << __LINE__ << ": " #call ": " << cudaGetErrorString(status_); \
            throw std::runtime_error(message_.str());                                                 \
        }                                                                                             \
    } while (0)

struct Epilogue {
    float scale, low, high;
    __device__ __forceinline__ float operator()(float y) const {
        y = fmaf(y, scale, y);
        // Keeps NaN, as torch's clamp does.
        return y != y ? y : fminf(fmaxf(y, low), high);
    }
};

// Each block has a tile of kTile x kTile outputs.
template <int kTile, typename Op>
__global__ void __launch_bounds__(kTile * kTile) gemm_kernel(const float* __restrict__ x, const float* __restrict__ w,
                                                             const float* __restrict__ bias, float* __restrict__ y,
                                                             int rows, int in_f, int out_f, Op op) {
    __shared__ float xs[kTile][kTile];
    __shared__ float ws[kTile][kTile + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int r = blockIdx.y * kTile + ty, o = blockIdx.x * kTile + tx, ow = blockIdx.x * kTile + ty;
    float s = 0.0f;
    for (int k0 = 0; k0 < in_f; k0 += kTile) {
        const int k = k0 + tx;
        xs[ty][tx] = r < rows && k < in_f ? x[r * in_f + k] : 0.0f;
        ws[ty][tx] = ow < out_f && k < in_f ? w[ow * in_f + k] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int j = 0; j < kTile; ++j) s = fmaf(xs[ty][j], ws[tx][j], s);
        __syncthreads();
    }
    if (r < rows && o < out_f) y[r * out_f + o] = op(s + bias[o]);
}

torch::Tensor gemm_fused(torch::Tensor x, torch::Tensor w, torch::Tensor b, double scale, double low, double high) {
    x = x.contiguous();
    w = w.contiguous();
    const int rows = x.size(0), in_f = x.size(1), out_f = w.size(0);
    TORCH_CHECK(w.size(1) == in_f, "the weight has ", w.size(1), " columns and the input ", in_f);
    auto y = torch::empty({rows, out_f}, x.options());
    constexpr int kTile = 16;
    const dim3 block(kTile, kTile), grid((out_f + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
    const Epilogue op{static_cast<float>(scale), static_cast<float>(low), static_cast<float>(high)};
    gemm_kernel<kTile><<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), rows, in_f, out_f, op);
    CHECK_CUDA(cudaGetLastError());
    return y;
}
"""

ext = load_inline(name="w8_checked_tiles", cpp_sources='torch::Tensor gemm_fused(torch::Tensor x, torch::Tensor w, torch::Tensor b, double scale, double low, double high);',
                  cuda_sources=cuda_src, functions=['gemm_fused'])


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, scale, low, high):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.scale, self.low, self.high = scale, low, high

    def forward(self, x):
        return ext.gemm_fused(x, self.gemm.weight.detach(), self.gemm.bias.detach(), self.scale, self.low, self.high)
