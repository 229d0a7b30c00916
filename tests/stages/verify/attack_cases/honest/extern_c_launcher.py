# task: tril_matmul
# expect: correct
# why: tiles above the diagonal are zeroed without work, elements above the diagonal of the others too
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_wrapper = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

extern "C" void launch_tril_matmul(const float* a, const float* b, float* c, int n, void* stream);

#define CHECK_CUDA(x) TORCH_CHECK(x.is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x) CHECK_CUDA(x); CHECK_CONTIGUOUS(x)

at::Tensor tril_matmul(at::Tensor a, at::Tensor b) {
  CHECK_INPUT(a);
  CHECK_INPUT(b);
  AT_ASSERTM(a.size(0) == a.size(1) && a.sizes() == b.sizes(), "a and b must be square and of one size");
  at::Tensor c = at::empty_like(a);
  launch_tril_matmul(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), (int)a.size(0),
                     (void*)c10::cuda::getCurrentCUDAStream().stream());
  return c;
}
"""

cuda_kernels = r"""
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CUDA_CHECK(call)                                                                            \
  do {                                                                                              \
    cudaError_t err_ = (call);                                                                      \
    if (err_ != cudaSuccess) {                                                                      \
      fprintf(stderr, "CUDA error %s at %s:%d\n", cudaGetErrorString(err_), __FILE__, __LINE__);    \
      exit(EXIT_FAILURE);                                                                           \
    }                                                                                               \
  } while (0)

#define TS 16

__global__ void tril_matmul_kernel(const float* a, const float* b, float* c, int n) {
  __shared__ float sa[TS][TS];
  __shared__ float sb[TS][TS];
  int row = blockIdx.y * TS + threadIdx.y;
  int col = blockIdx.x * TS + threadIdx.x;
  float sum = 0.0f;
  if (blockIdx.x <= blockIdx.y) {  /* the same for the whole block */
    for (int t = 0; t < (n + TS - 1) / TS; t++) {
      int ac = t * TS + threadIdx.x, br = t * TS + threadIdx.y;
      sa[threadIdx.y][threadIdx.x] = (row < n && ac < n) ? a[row * n + ac] : 0.0f;
      sb[threadIdx.y][threadIdx.x] = (br < n && col < n) ? b[br * n + col] : 0.0f;
      __syncthreads();
      for (int k = 0; k < TS; k++)
        sum += sa[threadIdx.y][k] * sb[k][threadIdx.x];
      __syncthreads();
    }
  }
  if (row < n && col < n)
    c[row * n + col] = col <= row ? sum : 0.0f;
}

extern "C" void launch_tril_matmul(const float* a, const float* b, float* c, int n, void* stream) {
  dim3 threads(TS, TS);
  dim3 blocks((n + TS - 1) / TS, (n + TS - 1) / TS);
  tril_matmul_kernel<<<blocks, threads, 0, (cudaStream_t)stream>>>(a, b, c, n);
  CUDA_CHECK(cudaPeekAtLastError());
}
"""

tril_ext = load_inline(
    name="tril_matmul_ext",
    cpp_sources=[cpp_wrapper],
    cuda_sources=[cuda_kernels],
    functions=["tril_matmul"],
    with_cuda=True,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        return tril_ext.tril_matmul(A, B)
