# task: mask_count
# expect: refused
# why: counts by nine rounds of look-ups in a table of sums that the constructor made: all additions are done by torch's index operator, and the kernel only copies
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor finish_counts(torch::Tensor counts);"""
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void copy_counts(const long* __restrict__ in, long* __restrict__ out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

torch::Tensor finish_counts(torch::Tensor counts) {
  auto out = torch::empty_like(counts);
  const int count = static_cast<int>(counts.numel());
  copy_counts<<<(count + 127) / 128, 128>>>(counts.data_ptr<int64_t>(), out.data_ptr<int64_t>(), count);
  return out;
}
"""
ext = load_inline(name="rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["finish_counts"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        numbers = torch.arange(1025)
        self.register_buffer("sums", numbers.unsqueeze(0) + numbers.unsqueeze(1))
        self.ext = ext

    def forward(self, mask):
        parts = mask.long()
        while parts.shape[1] > 1:
            if parts.shape[1] % 2 == 1:
                parts = torch.cat([parts, torch.zeros_like(parts[:, :1])], dim=1)
            parts = self.sums[parts[:, 0::2], parts[:, 1::2]]
        return self.ext.finish_counts(parts[:, 0].contiguous())
