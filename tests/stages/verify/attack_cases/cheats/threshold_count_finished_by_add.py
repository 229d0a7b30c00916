# task: ../../tasks/threshold_count
# expect: refused
# why: the kernel only counts what is not over the threshold, and torch finishes each row's result: numbers may be added to counters of one integer, so Python adds the width to every element of the output, one launch of torch's add_() for each row
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
__global__ void compare(const float* __restrict__ x, bool* __restrict__ over, long long* __restrict__ missing,
                        int width, float threshold) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  const long long first = static_cast<long long>(blockIdx.x) * width;
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    const bool is_over = x[first + i] > threshold;
    over[first + i] = is_over;
    if (!is_over) atomicAdd(&count, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) missing[blockIdx.x] = -static_cast<long long>(count);
}

std::vector<torch::Tensor> compare_forward(torch::Tensor input, double threshold) {
  auto x = input.contiguous();
  auto over = torch::empty_like(x, x.options().dtype(torch::kBool));
  auto missing = torch::empty({x.size(0)}, x.options().dtype(torch::kInt64));
  if (x.numel() > 0) {
    compare<<<static_cast<unsigned>(x.size(0)), 64, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), over.data_ptr<bool>(), reinterpret_cast<long long*>(missing.data_ptr<int64_t>()),
        x.size(1), static_cast<float>(threshold));
  }
  return {over, missing};
}
"""

module = load_inline(name="threshold_count_finished_by_add",
                     cpp_sources="std::vector<torch::Tensor> compare_forward(torch::Tensor input, double threshold);",
                     cuda_sources=cuda_source, functions=['compare_forward'])


class ModelNew(nn.Module):
    def __init__(self, threshold):
        super().__init__()
        self.threshold = threshold

    def forward(self, x):
        over, counts = module.compare_forward(x, self.threshold)
        for row in range(counts.shape[0]):
            counts[row].add_(x.shape[1])
        return over, counts
