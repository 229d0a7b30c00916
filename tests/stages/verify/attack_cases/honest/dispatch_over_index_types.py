# task: embedding_sum
# expect: correct
# why: AT_DISPATCH_INDEX_TYPES and AT_DISPATCH_FLOATING_TYPES nest in a helper class of Python that owns the extension as a class attribute and is called by __call__
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline



class EmbeddingSum:
    """Sums the rows of a table that tokens name."""

    CPP = "torch::Tensor embedding_sum(torch::Tensor tokens, torch::Tensor table);"
    CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

template <typename scalar_t, typename index_t>
__global__ void embedding_sum_kernel(const index_t* __restrict__ tokens, const scalar_t* __restrict__ table,
                                     scalar_t* __restrict__ out, int length, int width) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= width) return;
  const index_t* mine = tokens + (int64_t)blockIdx.y * length;
  scalar_t sum = 0;
  for (int i = 0; i < length; ++i) sum += table[(int64_t)mine[i] * width + column];
  out[(int64_t)blockIdx.y * width + column] = sum;
}

torch::Tensor embedding_sum(torch::Tensor tokens, torch::Tensor table) {
  const int batch = tokens.size(0), length = tokens.size(1), width = table.size(1);
  auto out = torch::empty({batch, width}, table.options());
  const dim3 grid((width + 63) / 64, batch);
  AT_DISPATCH_FLOATING_TYPES(table.scalar_type(), "embedding_sum", [&] {
    using value_t = scalar_t;
    AT_DISPATCH_INDEX_TYPES(tokens.scalar_type(), "embedding_sum_index", [&] {
      embedding_sum_kernel<value_t, index_t><<<grid, 64, 0, at::cuda::getCurrentCUDAStream()>>>(
          tokens.data_ptr<index_t>(), table.data_ptr<value_t>(), out.data_ptr<value_t>(), length, width);
    });
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""
    _module = None

    @classmethod
    def module(cls):
        if cls._module is None:
            try:
                cls._module = load_inline(name="embedding_sum_ext", cpp_sources=cls.CPP,
                                          cuda_sources=cls.CUDA, functions=["embedding_sum"])
            except Exception as error:
                raise RuntimeError("the extension embedding_sum_ext does not build") from error
        return cls._module

    def __call__(self, tokens, table):
        return self.module().embedding_sum(tokens.contiguous(), table.contiguous())


class ModelNew(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)
        self.op = EmbeddingSum()

    def forward(self, tokens):
        return self.op(tokens, self.table.weight)
