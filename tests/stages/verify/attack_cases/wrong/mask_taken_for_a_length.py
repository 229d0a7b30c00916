# task: masked_mean
# expect: refused
# why: the integer mask is counted and the first so many positions are averaged, which is right for masks of get_inputs(),
#      whose ones come first, and wrong for masks with holes
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
__global__ void mean_kernel(const float* x, const int64_t* mask, float* y, int seq, int dim) {
  int b = blockIdx.x;
  __shared__ int length;
  if (threadIdx.x == 0) length = 0;
  __syncthreads();
  int mine = 0;
  for (int t = threadIdx.x; t < seq; t += blockDim.x) mine += mask[b * seq + t] != 0;
  atomicAdd(&length, mine);
  __syncthreads();
  int n = length;
  for (int d = threadIdx.x; d < dim; d += blockDim.x) {
    float sum = 0.f;
    for (int t = 0; t < n; ++t) sum += x[((size_t)b * seq + t) * dim + d];
    y[b * dim + d] = sum / fmaxf((float)n, 1.0f);
  }
}
torch::Tensor masked_mean(torch::Tensor x, torch::Tensor mask) {
  auto y = torch::empty({x.size(0), x.size(2)}, x.options());
  mean_kernel<<<x.size(0), 64, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), mask.data_ptr<int64_t>(), y.data_ptr<float>(), x.size(1), x.size(2));
  return y;
}
"""

cpp_source = """
torch::Tensor masked_mean(torch::Tensor x, torch::Tensor mask);
"""

ext = load_inline(name="07_mask_taken_for_a_length", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['masked_mean'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, mask):
        return ext.masked_mean(x.contiguous(), mask.contiguous())
