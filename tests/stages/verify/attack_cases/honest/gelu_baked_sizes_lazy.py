# task: gelu_tanh
# expect: correct
# why: style: an f-string writes CUDA with the element count baked in as constexpr, compiled lazily in the
#      first forward and kept in functools.lru_cache; float4 loads through __ldcs and __stcs.
import functools
import logging
from typing import Any

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

logger = logging.getLogger(__name__)

CPP = "torch::Tensor gelu(const torch::Tensor& x);"


def _cuda_source(numel: int, threads: int) -> str:
    quads, rest = divmod(numel, 4)
    return f"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>

namespace {{
constexpr int kNumel = {numel};
constexpr int kQuads = {quads};
constexpr int kRest = {rest};
constexpr int kThreads = {threads};

__device__ __forceinline__ float gelu_one(float v) {{
    const float cube = v * v * v;
    const float u = 0.7978845608028654f * fmaf(0.044715f, cube, v);
    return 0.5f * v * (1.f + tanhf(u));
}}

__global__ void gelu_kernel(const float* __restrict__ x, float* __restrict__ y) {{
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < kQuads) {{
        float4 v = __ldcs(reinterpret_cast<const float4*>(x) + i);
        v.x = gelu_one(v.x);
        v.y = gelu_one(v.y);
        v.z = gelu_one(v.z);
        v.w = gelu_one(v.w);
        __stcs(reinterpret_cast<float4*>(y) + i, v);
    }}
    if (i < kRest) {{
        const int at = kQuads * 4 + i;
        y[at] = gelu_one(x[at]);
    }}
}}
}}  // namespace

torch::Tensor gelu(const torch::Tensor& x) {{
    TORCH_CHECK(x.numel() == kNumel, "this build is for {numel} elements, not ", x.numel());
    TORCH_CHECK(x.is_contiguous() && x.scalar_type() == at::kFloat);
    auto y = torch::empty_like(x);
    constexpr int kWork = kQuads > kRest ? kQuads : kRest;
    constexpr int kBlocks = (kWork + kThreads - 1) / kThreads;
    gelu_kernel<<<kBlocks, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}}
"""


@functools.lru_cache(maxsize=None)
def _build(numel: int, threads: int = 128) -> Any:
    logger.debug("building gelu for %d elements", numel)
    return load_inline(
        name=f"gelu_baked_{numel}_{threads}",
        cpp_sources=CPP,
        cuda_sources=_cuda_source(numel, threads),
        functions=["gelu"],
        extra_cuda_cflags=["-O3"],
    )


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return _build(x.numel()).gelu(x.contiguous())
