# task: mask_count_b
# expect: correct
# why: true elements of each row are counted by ballots and popcounts in each warp and added by __reduce_add_sync in the first one
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
__global__ void count(const bool* __restrict__ mask, int64_t* __restrict__ out, int cols) {
  __shared__ int warps[4];
  const bool* row = mask + (size_t)blockIdx.x * cols;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int sum = 0;
  for (int begin = warp * 32; begin < cols; begin += blockDim.x) {
    int c = begin + lane;
    unsigned votes = __ballot_sync(0xffffffffu, c < cols && row[c]);
    sum += __popc(votes);
  }
  if (lane == 0) warps[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    int total = __reduce_add_sync(0xffffffffu, lane < 4 ? warps[lane] : 0);
    if (lane == 0) out[blockIdx.x] = total;
  }
}
torch::Tensor mask_count(torch::Tensor mask) {
  auto out = torch::empty({mask.size(0)}, mask.options().dtype(torch::kInt64));
  count<<<mask.size(0), 128, 0, at::cuda::getCurrentCUDAStream()>>>(mask.data_ptr<bool>(), out.data_ptr<int64_t>(), mask.size(1));
  return out;
}
"""

cpp_source = """
torch::Tensor mask_count(torch::Tensor mask);
"""

ext = load_inline(name="11_reduce_add_sync_ballot", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['mask_count'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, mask):
        return ext.mask_count(mask.contiguous())
