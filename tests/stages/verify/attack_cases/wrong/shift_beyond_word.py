# task: unpack_bits
# expect: refused
# why: the word is shifted by the number of the bit in the row, not in the word: x86 takes the amount modulo 32 and gives the
#      right bit, a GPU clamps amounts of 32 and more, so that all words but the first give their sign
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
__global__ void unpack_kernel(const int* words, int* bits, int count) {
  int bit = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y;
  if (bit >= count * 32) return;
  int word = words[row * count + (bit >> 5)];
  bits[row * count * 32 + bit] = (word >> bit) & 1;
}
torch::Tensor unpack_bits(torch::Tensor words) {
  int rows = words.size(0), count = words.size(1);
  auto bits = torch::empty({rows, count * 32}, words.options());
  unpack_kernel<<<dim3((count * 32 + 255) / 256, rows), 256, 0, at::cuda::getCurrentCUDAStream()>>>(words.data_ptr<int>(), bits.data_ptr<int>(), count);
  return bits;
}
"""

cpp_source = """
torch::Tensor unpack_bits(torch::Tensor words);
"""

ext = load_inline(name="11_shift_beyond_word", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['unpack_bits'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, words):
        return ext.unpack_bits(words.contiguous())
