# task: floor_hours_signed
# expect: refused
# why: C++ division truncates: -30 / 60 is 0 and -30 % 60 is -30, where floor division wants -1 and remainder 30. The correction tests the quotient's
# sign (q < 0) and so leaves out -59..-1, whose quotient is 0. One value in 170 of the task's own inputs.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

struct DivMod { int64_t quotient, remainder; };

__device__ __forceinline__ DivMod floor_divmod(int64_t a, int64_t b) {
  int64_t q = a / b;
  int64_t r = a - q * b;
  if (q < 0 && r != 0) {   // C++ truncates towards zero: step down
    q -= 1;
    r += b;
  }
  return {q, r};
}

__global__ void hours_kernel(const int64_t* __restrict__ minutes, int64_t* __restrict__ hours,
                             int64_t* __restrict__ rest, int64_t n) {
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
       i += (int64_t)gridDim.x * blockDim.x) {
    const DivMod d = floor_divmod(minutes[i], 60);
    hours[i] = d.quotient;
    rest[i] = d.remainder;
  }
}

std::tuple<torch::Tensor, torch::Tensor> split_minutes(const torch::Tensor& input) {
  auto minutes = input.contiguous();
  auto hours = torch::empty_like(minutes);
  auto rest = torch::empty_like(minutes);
  const int64_t n = minutes.numel();
  if (n == 0) return {hours, rest};
  const int threads = 256;
  const int blocks = (int)std::min<int64_t>((n + threads - 1) / threads, 1024);
  hours_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
      minutes.data_ptr<int64_t>(), hours.data_ptr<int64_t>(), rest.data_ptr<int64_t>(), n);
  return {hours, rest};
}
"""

ext = load_inline(
    name="hours_truncated_division",
    cpp_sources="std::tuple<torch::Tensor, torch::Tensor> split_minutes(const torch::Tensor& input);",
    cuda_sources=source,
    functions=["split_minutes"],
)


class ModelNew(nn.Module):
    def forward(self, minutes):
        return ext.split_minutes(minutes)
