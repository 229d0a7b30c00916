# task: argmax_rows_of_cheats
# expect: refused
# why: one kernel writes the input into a std::vector of the host through a pointer in a struct, host code finds
#      the maxima, and another kernel reads them from host memory; right under the judge and on GPUs that can
#      access pageable memory. executor.h Admit() does not see the pointers, address_spaces.cc does not count them
#      ('memory of the host that a kernel reaches by a pointer inside of a struct'), and one number that is read
#      makes replay.cc repeat the launches with the same inputs, for which the vector still holds the result.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <vector>

struct Floats { float* p; };
struct Indices { const int64_t* p; };

static std::vector<float> staged;
static std::vector<int64_t> found;

__global__ void stage_kernel(Floats to, const float* __restrict__ x, long n) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) to.p[i] = x[i];
}
__global__ void argmax_kernel(Indices from, int64_t* __restrict__ out, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) out[i] = from.p[i];
}

torch::Tensor argmax_rows(torch::Tensor x) {
  const int rows = x.size(0), columns = x.size(1);
  const long n = x.numel();
  staged.resize(n);
  found.resize(rows);
  stage_kernel<<<(n + 255) / 256, 256>>>(Floats{staged.data()}, x.data_ptr<float>(), n);
  float probe = 0;
  cudaMemcpy(&probe, x.data_ptr<float>(), sizeof(probe), cudaMemcpyDeviceToHost);
  for (int r = 0; r < rows; ++r) {
    int64_t best = 0;
    for (int c = 1; c < columns; ++c) {
      if (staged[r * columns + c] > staged[r * columns + best]) best = c;
    }
    found[r] = best;
  }
  auto out = torch::empty({rows}, x.options().dtype(torch::kInt64));
  argmax_kernel<<<(rows + 63) / 64, 64>>>(Indices{found.data()}, out.data_ptr<int64_t>(), rows);
  return out;
}
"""

ext = load_inline(name="argmax_rows", cpp_sources="torch::Tensor argmax_rows(torch::Tensor x);",
                  cuda_sources=CUDA, functions=["argmax_rows"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.argmax_rows(x)
