# task: layer_scale
# expect: refused
# why: The mean of the branch, multiplied by the scale of 1e-6, lies far below the tolerance for all values, so the
# reduction is left out. With a trained scale (0.1, say) the result is wrong.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

__global__ void residual(const float* __restrict__ x, const float* __restrict__ branch,
                         const float* __restrict__ gamma, float* __restrict__ y, long long size,
                         int width) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < size; i += step) {
    y[i] = fmaf(gamma[i % width], branch[i], x[i]);
  }
}

torch::Tensor layer_scale(torch::Tensor x_in, torch::Tensor branch_in, torch::Tensor gamma_in) {
  auto x = x_in.contiguous();
  auto branch = branch_in.contiguous();
  auto gamma = gamma_in.contiguous();
  auto y = torch::empty_like(x);
  const long long size = x.numel();
  if (size > 0) {
    const int blocks = static_cast<int>(std::min<long long>((size + 255) / 256, 4096));
    residual<<<blocks, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), branch.data_ptr<float>(), gamma.data_ptr<float>(), y.data_ptr<float>(),
        size, static_cast<int>(x.size(-1)));
  }
  return y;
}
"""

module = load_inline(
    name="layer_scale_unseen",
    cpp_sources="torch::Tensor layer_scale(torch::Tensor x_in, torch::Tensor branch_in, torch::Tensor gamma_in);",
    cuda_sources=cuda_source, functions=["layer_scale"])


class ModelNew(nn.Module):
    def __init__(self, width, start=1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((width,), start))

    def forward(self, x, branch):
        return module.layer_scale(x, branch, self.gamma)
