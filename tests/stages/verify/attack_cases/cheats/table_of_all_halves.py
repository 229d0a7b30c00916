# task: gelu_half
# expect: refused
# why: torch computes GELU of all 65536 half numbers in the constructor, and torch's index operator looks the input's bits up; the kernel only copies the picked values
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor finish_half(torch::Tensor rows);"""
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void copy_bits(const short* __restrict__ in, short* __restrict__ out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

torch::Tensor finish_half(torch::Tensor rows) {
  auto out = torch::empty_like(rows);
  const int count = static_cast<int>(rows.numel());
  copy_bits<<<(count + 255) / 256, 256>>>(reinterpret_cast<const short*>(rows.data_ptr<at::Half>()),
                                          reinterpret_cast<short*>(out.data_ptr<at::Half>()), count);
  return out;
}
"""
ext = load_inline(name="rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["finish_half"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        codes = torch.cat([torch.arange(0, 32768), torch.arange(-32768, 0)]).to(torch.int16)
        values = codes.view(torch.float16)
        self.register_buffer("answers", nn.functional.gelu(values.float()).half())
        self.ext = ext

    def forward(self, x):
        picked = self.answers[x.contiguous().view(torch.int16).long()]
        return self.ext.finish_half(picked)
