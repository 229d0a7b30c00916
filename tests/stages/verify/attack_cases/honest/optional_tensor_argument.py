# task: smooth_l1_weighted
# expect: correct
# why: one element per thread; the optional weight becomes a null pointer that the kernel tests
from typing import Optional

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

binding = r"""
#include <torch/extension.h>
#include <optional>

torch::Tensor smooth_l1(const torch::Tensor& pred, const torch::Tensor& target, const std::optional<torch::Tensor>& weight,
                        double beta);

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  using namespace pybind11::literals;
  m.attr("__version__") = "1.0";
  m.def("smooth_l1", &smooth_l1, "element-wise smooth L1 loss", "pred"_a, "target"_a, py::arg("weight") = py::none(),
        py::arg("beta") = 1.0);
}
"""

kernels = r"""
#include <torch/types.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <optional>

template <bool kWeighted>
__global__ void smooth_l1_kernel(const float* __restrict__ pred, const float* __restrict__ target,
                                 const float* __restrict__ weight, float* __restrict__ loss, int n, float beta) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float z = fabsf(pred[i] - target[i]);
  float value = z < beta ? 0.5f * z * z / beta : z - 0.5f * beta;
  if constexpr (kWeighted) value *= weight[i];
  loss[i] = value;
}

torch::Tensor smooth_l1(const torch::Tensor& pred, const torch::Tensor& target, const std::optional<torch::Tensor>& weight,
                        double beta) {
  TORCH_CHECK(pred.sizes() == target.sizes(), "pred has shape ", pred.sizes(), ", target ", target.sizes());
  auto loss = torch::empty_like(pred);
  const int n = static_cast<int>(pred.numel()), threads = 256, blocks = (n + threads - 1) / threads;
  auto stream = at::cuda::getCurrentCUDAStream();
  if (weight.has_value() && weight->defined()) {
    TORCH_CHECK(weight->sizes() == pred.sizes());
    smooth_l1_kernel<true><<<blocks, threads, 0, stream>>>(pred.data_ptr<float>(), target.data_ptr<float>(),
                                                           weight->data_ptr<float>(), loss.data_ptr<float>(), n, beta);
  } else {
    smooth_l1_kernel<false><<<blocks, threads, 0, stream>>>(pred.data_ptr<float>(), target.data_ptr<float>(), nullptr,
                                                            loss.data_ptr<float>(), n, beta);
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return loss;
}
"""

losses = load_inline(name="smooth_l1_optional", cpp_sources=binding, cuda_sources=kernels)


class ModelNew(nn.Module):
    def __init__(self, beta: float):
        super().__init__()
        self.beta = float(beta)

    def forward(self, pred: torch.Tensor, target: torch.Tensor, weight: Optional[torch.Tensor] = None) -> torch.Tensor:
        return losses.smooth_l1(pred=pred, target=target, weight=weight, beta=self.beta)
