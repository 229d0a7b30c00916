# task: bag_sum
# expect: refused
# why: one step of a warp loads the indices of a bag, so that of a bag with more than 32 words the rest is left out: right for
#      the bags of 16 that get_inputs() makes, wrong for other offsets
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
__global__ void bags(const int64_t* indices, const int64_t* offsets, const float* table, float* y, int count, int bag_count, int dim) {
  int bag = blockIdx.x, lane = threadIdx.x;
  int begin = (int)offsets[bag], end = bag + 1 < bag_count ? (int)offsets[bag + 1] : count;
  int length = end - begin;
  int own = lane < length ? (int)indices[begin + lane] : 0;
  for (int d = lane; d < (dim + 31) / 32 * 32; d += 32) {
    float sum = 0.f;
    for (int k = 0; k < min(length, 32); ++k) {
      int word = __shfl_sync(0xffffffffu, own, k);
      if (d < dim) sum += table[(size_t)word * dim + d];
    }
    if (d < dim) y[bag * dim + d] = sum;
  }
}
torch::Tensor bag_sum(torch::Tensor indices, torch::Tensor offsets, torch::Tensor table) {
  int bag_count = offsets.size(0), dim = table.size(1);
  auto y = torch::empty({bag_count, dim}, table.options());
  bags<<<bag_count, 32, 0, at::cuda::getCurrentCUDAStream()>>>(indices.data_ptr<int64_t>(), offsets.data_ptr<int64_t>(), table.data_ptr<float>(), y.data_ptr<float>(), indices.size(0), bag_count, dim);
  return y;
}
"""

cpp_source = """
torch::Tensor bag_sum(torch::Tensor indices, torch::Tensor offsets, torch::Tensor table);
"""

ext = load_inline(name="22_bags_of_one_warp_step", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['bag_sum'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, indices, offsets, table):
        return ext.bag_sum(indices.contiguous(), offsets.contiguous(), table.contiguous())
