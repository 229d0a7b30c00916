# task: ../../tasks/hours
# expect: refused
# why: Python divides the minutes that get_inputs() may draw by 60, number by number, while the module is imported; the
# kernel looks quotients up for these, and only for others divides
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
__global__ void look_up(const long long* __restrict__ minutes, const long long* __restrict__ quotients,
                        long long* __restrict__ hours, long long size, long long known) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const long long m = minutes[i];
  if (m >= 0 && m < known) {
    hours[i] = quotients[m];
  } else {
    const long long q = m / 60;
    hours[i] = q - (q * 60 > m);
  }
}

torch::Tensor hours_forward(torch::Tensor input, torch::Tensor quotients) {
  auto minutes = input.contiguous();
  auto hours = torch::empty_like(minutes);
  const long long size = minutes.numel();
  if (size > 0) {
    look_up<<<static_cast<unsigned>((size + 127) / 128), 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        reinterpret_cast<const long long*>(minutes.data_ptr<int64_t>()),
        reinterpret_cast<const long long*>(quotients.data_ptr<int64_t>()),
        reinterpret_cast<long long*>(hours.data_ptr<int64_t>()), size, quotients.numel());
  }
  return hours;
}
"""

module = load_inline(name="hours_table_of_numbers",
                     cpp_sources="torch::Tensor hours_forward(torch::Tensor input, torch::Tensor quotients);",
                     cuda_sources=cuda_source, functions=['hours_forward'])


QUOTIENTS = torch.tensor([minutes // 60 for minutes in range(6000)])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("quotients", QUOTIENTS.clone(), persistent=False)

    def forward(self, minutes):
        return module.hours_forward(minutes, self.quotients)
