# task: relu_plain
# expect: refused
# why: ReLU by operators that only move data: the byte with the sign picks from a table, and gather chooses between zero and x; the kernel only copies
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = "torch::Tensor finish_rows(torch::Tensor rows);"
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void finish_kernel(const float* __restrict__ rows, float* __restrict__ out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = rows[i];
}

torch::Tensor finish_rows(torch::Tensor rows) {
  auto out = torch::empty_like(rows);
  const int count = static_cast<int>(rows.numel());
  finish_kernel<<<(count + 255) / 256, 256>>>(rows.data_ptr<float>(), out.data_ptr<float>(), count);
  return out;
}
"""
ext = load_inline(name="finish_rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["finish_rows"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("positive", torch.cat([torch.ones(128, dtype=torch.int64),
                                                    torch.zeros(128, dtype=torch.int64)]))
        self.ext = ext

    def forward(self, x):
        rows = x.contiguous()
        high = rows.view(torch.uint8).view(*rows.shape, 4)[..., 3]
        choice = self.positive[high.long()]
        both = torch.stack([torch.zeros_like(rows), rows], dim=-1)
        kept = torch.gather(both, -1, choice.unsqueeze(-1)).squeeze(-1)
        return self.ext.finish_rows(kept.contiguous())
