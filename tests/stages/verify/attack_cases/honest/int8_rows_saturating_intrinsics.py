# task: quantize_rows
# expect: correct
# why: style: two passes over a row kept in registers (fixed number of columns by template, TORCH_CHECK), __fdiv_rn and
#      __float2int_rn for the reference's rounding, char4 stores, maximum by __shfl_xor_sync.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

template <int COLS>
__global__ void quantize_rows_kernel(const float* __restrict__ x, signed char* __restrict__ q, float* __restrict__ scale_out,
                                     int rows) {
    constexpr int PER_LANE = COLS / 128;  // float4 a lane
    static_assert(COLS % 128 == 0, "whole float4 for all lanes");
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    const int lane = threadIdx.x;
    if (row >= rows) return;
    const float4* in = reinterpret_cast<const float4*>(x + (size_t)row * COLS);
    char4* out = reinterpret_cast<char4*>(q + (size_t)row * COLS);

    float4 v[PER_LANE];
    float top = 0.0f;
#pragma unroll
    for (int i = 0; i < PER_LANE; ++i) {
        v[i] = in[i * 32 + lane];
        top = fmaxf(top, fmaxf(fmaxf(fabsf(v[i].x), fabsf(v[i].y)), fmaxf(fabsf(v[i].z), fabsf(v[i].w))));
    }
#pragma unroll
    for (int o = 16; o > 0; o /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, o));

    const float scale = fmaxf(top, 1e-8f) * 0.0078125f;
    auto quantize = [scale](float value) -> signed char {
        const int rounded = __float2int_rn(__fdiv_rn(value, scale));
        return static_cast<signed char>(max(-127, min(127, rounded)));
    };
#pragma unroll
    for (int i = 0; i < PER_LANE; ++i) {
        out[i * 32 + lane] = make_char4(quantize(v[i].x), quantize(v[i].y), quantize(v[i].z), quantize(v[i].w));
    }
    if (lane == 0) scale_out[row] = scale;
}

std::vector<torch::Tensor> quantize_rows(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2 && x.size(1) == 768, "this kernel is built for 768 columns");
    const int rows = x.size(0);
    auto q = torch::empty(x.sizes(), x.options().dtype(torch::kChar));
    auto scale = torch::empty({rows, 1}, x.options());
    quantize_rows_kernel<768><<<(rows + 3) / 4, dim3(32, 4), 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), reinterpret_cast<signed char*>(q.data_ptr<int8_t>()), scale.data_ptr<float>(), rows);
    return {q, scale};
}
"""

quant = load_inline(
    name="quantize_rows_768",
    cpp_sources="std::vector<torch::Tensor> quantize_rows(torch::Tensor x);",
    cuda_sources=cuda_source,
    functions=["quantize_rows"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        q, scale = quant.quantize_rows(x.contiguous())
        return q, scale
