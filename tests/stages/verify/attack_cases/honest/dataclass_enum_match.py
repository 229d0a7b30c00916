# task: group_norm
# expect: correct
# why: one block per (sample, group), values stay in registers, mean and variance by two tree sums
import enum
from dataclasses import dataclass, field

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


class Variant(enum.Enum):
    REGISTERS = "registers"
    STREAMING = "streaming"


@dataclass(frozen=True)
class CompileFlags:
    host: tuple = ("-O3",)
    device: tuple = ("-O3", "-Xptxas", "-O3")


@dataclass(frozen=True)
class ExecConfig:
    threads: int = 256
    items: int = 4
    variant: Variant = Variant.REGISTERS
    compile_flags: CompileFlags = field(default_factory=CompileFlags)

    @property
    def capacity(self):
        return self.threads * self.items


SOURCE = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

namespace group_norm {

template <int kThreads>
__device__ float all_sum(float v, float (&shared)[kThreads]) {
  shared[threadIdx.x] = v;
  __syncthreads();
#pragma unroll
  for (int n = kThreads / 2; n > 0; n /= 2) {
    if (threadIdx.x < n) shared[threadIdx.x] += shared[threadIdx.x + n];
    __syncthreads();
  }
  const float sum = shared[0];
  __syncthreads();
  return sum;
}

template <int kThreads, int kItems>
__global__ void __launch_bounds__(kThreads)
in_registers(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
             float* __restrict__ y, int groups, int channels_per_group, int plane, float eps) {
  __shared__ float shared[kThreads];
  constexpr int kSize = kThreads * kItems;
  const size_t base = (size_t)blockIdx.x * kSize;
  float v[kItems];
#pragma unroll
  for (int i = 0; i < kItems; ++i) v[i] = x[base + i * kThreads + threadIdx.x];
  float part = (v[0] + v[1]) + (v[2] + v[3]);
  const float mean = all_sum<kThreads>(part, shared) / kSize;
  part = 0.f;
#pragma unroll
  for (int i = 0; i < kItems; ++i) part += (v[i] - mean) * (v[i] - mean);
  const float rstd = rsqrtf(all_sum<kThreads>(part, shared) / kSize + eps);
  const int first_channel = blockIdx.x % groups * channels_per_group;
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const int at = i * kThreads + threadIdx.x;
    const int c = first_channel + at / plane;
    y[base + at] = (v[i] - mean) * rstd * gamma[c] + beta[c];
  }
}

template <int kThreads>
__global__ void streaming(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
                          float* __restrict__ y, int groups, int channels_per_group, int plane, float eps) {
  __shared__ float shared[kThreads];
  const int size = channels_per_group * plane;
  const size_t base = (size_t)blockIdx.x * size;
  float part = 0.f;
  for (int i = threadIdx.x; i < size; i += kThreads) part += x[base + i];
  const float mean = all_sum<kThreads>(part, shared) / size;
  part = 0.f;
  for (int i = threadIdx.x; i < size; i += kThreads) part += (x[base + i] - mean) * (x[base + i] - mean);
  const float rstd = rsqrtf(all_sum<kThreads>(part, shared) / size + eps);
  for (int i = threadIdx.x; i < size; i += kThreads) {
    const int c = blockIdx.x % groups * channels_per_group + i / plane;
    y[base + i] = (x[base + i] - mean) * rstd * gamma[c] + beta[c];
  }
}

}  // namespace group_norm

torch::Tensor group_norm_registers(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, int64_t groups, double eps) {
  auto y = torch::empty_like(x);
  const int channels = x.size(1), plane = x.size(2) * x.size(3);
  TORCH_CHECK(channels / groups * plane == 1024, "this variant has 1024 elements per group");
  group_norm::in_registers<256, 4><<<x.size(0) * groups, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(), y.data_ptr<float>(), groups,
      channels / groups, plane, eps);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

torch::Tensor group_norm_streaming(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, int64_t groups, double eps) {
  auto y = torch::empty_like(x);
  const int channels = x.size(1), plane = x.size(2) * x.size(3);
  group_norm::streaming<256><<<x.size(0) * groups, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(), y.data_ptr<float>(), groups,
      channels / groups, plane, eps);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

DECLARATIONS = """
torch::Tensor group_norm_registers(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, int64_t groups, double eps);
torch::Tensor group_norm_streaming(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, int64_t groups, double eps);
"""


class ModelNew(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)
        self.exec_config = ExecConfig()
        self.compile_flags = self.exec_config.compile_flags
        self.system = load_inline(
            name="group_norm_variants",
            cpp_sources=DECLARATIONS,
            cuda_sources=SOURCE,
            functions=["group_norm_registers", "group_norm_streaming"],
            extra_cflags=list(self.compile_flags.host),
            extra_cuda_cflags=list(self.compile_flags.device),
        )

    def _variant(self, x):
        per_group = x.shape[1] // self.norm.num_groups * x.shape[2] * x.shape[3]
        return self.exec_config.variant if per_group == self.exec_config.capacity else Variant.STREAMING

    def forward(self, x):
        match self._variant(x):
            case Variant.REGISTERS:
                launch = self.system.group_norm_registers
            case Variant.STREAMING:
                launch = self.system.group_norm_streaming
        return launch(x, self.norm.weight, self.norm.bias, self.norm.num_groups, self.norm.eps)
