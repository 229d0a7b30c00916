# task: focal_loss
# expect: correct
# why: style: a frozen dataclass holds the launch configuration and is written into the source by an f-string, comments
#      in Chinese, a debugging printf of the device behind a condition that does not occur, compiled modules
#      kept in a dict, partial sums added by a second kernel in double.
from dataclasses import dataclass
from typing import Dict

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


@dataclass(frozen=True)
class LaunchConfig:
    """内核的启动配置"""
    threads: int = 256
    blocks: int = 120

    @property
    def key(self) -> str:
        return f"focal_{self.threads}_{self.blocks}"


def make_source(cfg: LaunchConfig) -> str:
    return f"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cstdio>

constexpr int kThreads = {cfg.threads};
constexpr int kBlocks = {cfg.blocks};

// 块内求和：先在 warp 内用 shuffle 归约，再用共享内存合并
template <typename T>
__device__ T block_sum(T value) {{
    __shared__ T parts[kThreads / 32];
    for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_down_sync(0xffffffffu, value, offset);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0;
    if (threadIdx.x == 0) {{
        for (int w = 0; w < kThreads / 32; ++w) value += parts[w];
    }}
    return value;  // 只有 0 号线程的结果有效
}}

// 第一遍：每个线程块写一个部分和
__global__ void focal_partial(const float* __restrict__ logits, const bool* __restrict__ labels,
                              float* __restrict__ partial, int n, float alpha) {{
    float sum = 0.f;
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += kBlocks * kThreads) {{
        const float x = logits[i];
        // 数值稳定的写法：z 为正确类别的 logit
        const float z = labels[i] ? x : -x;
        const float ce = fmaxf(-z, 0.f) + log1pf(expf(-fabsf(z)));
        const float miss = 1.f / (1.f + expf(z));
        sum += (labels[i] ? alpha : 1.f - alpha) * miss * miss * ce;
    }}
    sum = block_sum(sum);
    if (threadIdx.x == 0) {{
        if (isnan(sum)) printf("block %d: NaN\\n", blockIdx.x);  // 调试用
        partial[blockIdx.x] = sum;
    }}
}}

// 第二遍：一个线程块把部分和相加并求平均
__global__ void focal_mean(const float* __restrict__ partial, float* __restrict__ out, int n) {{
    double sum = 0.0;
    for (int b = threadIdx.x; b < kBlocks; b += kThreads) sum += partial[b];
    sum = block_sum(sum);
    if (threadIdx.x == 0) *out = static_cast<float>(sum / n);
}}

torch::Tensor focal_loss(torch::Tensor logits, torch::Tensor labels, double alpha) {{
    TORCH_CHECK(labels.scalar_type() == torch::kBool, "labels 必须是 bool");
    const int n = static_cast<int>(logits.numel());
    auto partial = torch::empty({{kBlocks}}, logits.options());
    auto out = torch::empty({{}}, logits.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    focal_partial<<<kBlocks, kThreads, 0, stream>>>(logits.data_ptr<float>(), labels.data_ptr<bool>(),
                                                    partial.data_ptr<float>(), n, static_cast<float>(alpha));
    focal_mean<<<1, kThreads, 0, stream>>>(partial.data_ptr<float>(), out.data_ptr<float>(), n);
    return out;
}}
"""


_modules: Dict[str, object] = {}


def get_module(cfg: LaunchConfig):
    # 同一配置只编译一次
    if cfg.key not in _modules:
        _modules[cfg.key] = load_inline(
            name=cfg.key,
            cpp_sources="torch::Tensor focal_loss(torch::Tensor logits, torch::Tensor labels, double alpha);",
            cuda_sources=make_source(cfg),
            functions=["focal_loss"],
        )
    return _modules[cfg.key]


class ModelNew(nn.Module):
    def __init__(self, alpha: float):
        super().__init__()
        self.alpha = alpha
        self.module = get_module(LaunchConfig())

    def forward(self, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return self.module.focal_loss(logits.contiguous(), labels.contiguous(), self.alpha)
