# task: ../../tasks/group_norm
# expect: correct
# why: cub::BlockReduce twice (mean, then squared distances) with a barrier before the storage is used again; a block for each sample and group.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

gn_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cub/block/block_reduce.cuh>

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
group_norm_kernel(const float* __restrict__ x, const float* __restrict__ gamma,
                  const float* __restrict__ beta, float* __restrict__ y, int groups,
                  int channels_per_group, int plane, float eps) {
  using Reduce = cub::BlockReduce<float, BLOCK>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ float s_mean, s_rstd;

  const int count = channels_per_group * plane;
  const size_t base = (size_t)blockIdx.x * count;
  const int first_channel = (blockIdx.x % groups) * channels_per_group;

  float local = 0.f;
  for (int i = threadIdx.x; i < count; i += BLOCK) local += x[base + i];
  const float total = Reduce(storage).Sum(local);
  if (threadIdx.x == 0) s_mean = total / count;
  __syncthreads();

  const float mean = s_mean;
  local = 0.f;
  for (int i = threadIdx.x; i < count; i += BLOCK) {
    const float d = x[base + i] - mean;
    local = fmaf(d, d, local);
  }
  const float squares = Reduce(storage).Sum(local);
  if (threadIdx.x == 0) s_rstd = rsqrtf(squares / count + eps);
  __syncthreads();

  const float rstd = s_rstd;
  for (int i = threadIdx.x; i < count; i += BLOCK) {
    const int c = first_channel + i / plane;
    y[base + i] = (x[base + i] - mean) * rstd * __ldg(gamma + c) + __ldg(beta + c);
  }
}

torch::Tensor group_norm(const torch::Tensor& input, int64_t groups, const torch::Tensor& gamma,
                         const torch::Tensor& beta, double eps) {
  TORCH_CHECK(input.size(1) % groups == 0, "channels must divide into groups");
  const auto x = input.contiguous();
  auto y = torch::empty_like(x);
  const int N = x.size(0), C = x.size(1);
  const int plane = x.numel() / ((int64_t)N * C);
  group_norm_kernel<256><<<N * groups, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(), y.data_ptr<float>(),
      (int)groups, C / (int)groups, plane, (float)eps);
  return y;
}
"""

gn_ext = load_inline(
    name="group_norm_cub_reduce",
    cpp_sources="torch::Tensor group_norm(const torch::Tensor& input, int64_t groups, "
                "const torch::Tensor& gamma, const torch::Tensor& beta, double eps);",
    cuda_sources=gn_source,
    functions=["group_norm"],
    with_cuda=True,
)


class ModelNew(nn.Module):
    def __init__(self, num_features, num_groups):
        super().__init__()
        self.gn = nn.GroupNorm(num_groups, num_features)

    def forward(self, x):
        gn = self.gn
        return gn_ext.group_norm(x, gn.num_groups, gn.weight, gn.bias, gn.eps)
