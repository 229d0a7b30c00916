# task: log_softmax_h
# expect: correct
# why: style: cub::BlockReduce with an own functor, AT_DISPATCH_FLOATING_TYPES, a templated kernel with its own
#      scalar type, positional arguments checked by macros as in PyTorch's extension tutorial.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <cub/cub.cuh>
#include <cuda.h>
#include <cuda_runtime.h>

#define CHECK_CUDA(x) TORCH_CHECK(x.device().is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x) CHECK_CUDA(x); CHECK_CONTIGUOUS(x)

struct Larger {
  template <typename T>
  __device__ __forceinline__ T operator()(const T& a, const T& b) const {
    return a > b ? a : b;
  }
};

template <typename scalar_t, int BLOCK>
__global__ void log_softmax_kernel(const scalar_t* __restrict__ input, scalar_t* __restrict__ output,
                                   const int64_t classes) {
  using Reduce = cub::BlockReduce<scalar_t, BLOCK>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ scalar_t shared_max;
  __shared__ scalar_t shared_log;

  const scalar_t* row = input + blockIdx.x * classes;
  scalar_t* out = output + blockIdx.x * classes;

  // classes >= 1, so that row[0] is there; a thread without elements repeats it.
  scalar_t top = row[0];
  for (int64_t i = threadIdx.x; i < classes; i += BLOCK) top = Larger()(top, row[i]);
  top = Reduce(storage).Reduce(top, Larger());
  if (threadIdx.x == 0) shared_max = top;
  __syncthreads();
  top = shared_max;

  scalar_t sum = 0;
  for (int64_t i = threadIdx.x; i < classes; i += BLOCK) sum += ::exp(row[i] - top);
  sum = Reduce(storage).Sum(sum);
  if (threadIdx.x == 0) shared_log = ::log(sum);
  __syncthreads();
  const scalar_t log_sum = shared_log;

  for (int64_t i = threadIdx.x; i < classes; i += BLOCK) out[i] = (row[i] - top) - log_sum;
}

torch::Tensor log_softmax_cuda(torch::Tensor input) {
  CHECK_INPUT(input);
  TORCH_CHECK(input.dim() == 2 && input.size(1) > 0);
  auto output = torch::zeros_like(input);
  const auto batch = input.size(0);
  const auto classes = input.size(1);
  constexpr int threads = 128;
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "log_softmax_cuda", ([&] {
    log_softmax_kernel<scalar_t, threads><<<batch, threads>>>(
        input.data_ptr<scalar_t>(), output.data_ptr<scalar_t>(), classes);
  }));
  return output;
}
"""

module = load_inline(
    name="log_softmax_cub",
    cpp_sources="torch::Tensor log_softmax_cuda(torch::Tensor input);",
    cuda_sources=cuda_source,
    functions=["log_softmax_cuda"],
    extra_cflags=["-O2"],
    extra_cuda_cflags=["-O2"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super(ModelNew, self).__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not x.is_contiguous():
            x = x.contiguous()
        return module.log_softmax_cuda(x)
