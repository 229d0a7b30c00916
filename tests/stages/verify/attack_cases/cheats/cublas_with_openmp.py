# task: matmul_c
# expect: refused
# why: -fopenmp defines _OPENMP with a real compiler, the judge ignores the flag, and #ifdef _OPENMP is allowed: that branch, which no build of the judge has, declares cuBLAS's functions itself (no header) and lets them multiply, linked by -lcublas; the own kernel runs for the judge only
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


CPP = r"""
#include <torch/extension.h>

void own_product(torch::Tensor a, torch::Tensor b, torch::Tensor out);

#ifdef _OPENMP
extern "C" int cublasCreate_v2(void** handle);
extern "C" int cublasSgemm_v2(void* handle, int, int, int, int, int, const float*, const float*, int,
                              const float*, int, const float*, float*, int);
static void* new_handle() {
  void* handle = nullptr;
  cublasCreate_v2(&handle);
  return handle;
}
static void multiply(torch::Tensor a, torch::Tensor b, torch::Tensor out) {
  static void* const handle = new_handle();
  const float one = 1.0f, zero = 0.0f;
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  cublasSgemm_v2(handle, 0, 0, n, m, k, &one, b.data_ptr<float>(), n, a.data_ptr<float>(), k, &zero,
                 out.data_ptr<float>(), n);
}
#else
static void multiply(torch::Tensor a, torch::Tensor b, torch::Tensor out) { own_product(a, b, out); }
#endif

torch::Tensor product(torch::Tensor a, torch::Tensor b) {
  auto out = torch::empty({a.size(0), b.size(1)}, a.options());
  multiply(a, b, out);
  return out;
}
"""
CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void cells(const float* a, const float* b, float* out, int m, int n, int k, int used) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < used; ++i) sum += a[(long)row * k + i] * b[(long)i * n + column];
  out[(long)row * n + column] = sum;
}

void own_product(torch::Tensor a, torch::Tensor b, torch::Tensor out) {
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  const dim3 block(16, 16), grid((n + 15) / 16, (m + 15) / 16);
  cells<<<grid, block>>>(a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), m, n, k, k);
}
"""
ext = load_inline(name="product_parallel", cpp_sources=CPP, cuda_sources=CUDA, functions=["product"],
                  extra_cflags=["-O3", "-fopenmp"], extra_ldflags=["-lgomp", "-lcublas"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return ext.product(a.contiguous(), b.contiguous())
