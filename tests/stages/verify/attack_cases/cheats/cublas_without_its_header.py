# task: matmul_pair
# expect: refused
# why: declares cublasSgemm_v2 itself instead of including a header; the executor's library exports it for another policy; the kernel only copies the product
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor run_matmul(torch::Tensor a, torch::Tensor b);"""
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void copy_kernel(const float* __restrict__ in, float* __restrict__ out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

extern "C" int cublasCreate_v2(void** handle);
extern "C" int cublasSgemm_v2(void* handle, int left, int right, int m, int n, int k, const float* alpha,
                              const float* a, int lda, const float* b, int ldb, const float* beta, float* c,
                              int ldc);

torch::Tensor run_matmul(torch::Tensor a, torch::Tensor b) {
  const int rows = a.size(0), inner = a.size(1), cols = b.size(1), count = rows * cols;
  auto product = torch::empty({rows, cols}, a.options());
  auto out = torch::empty({rows, cols}, a.options());
  static void* handle = nullptr;
  if (handle == nullptr) cublasCreate_v2(&handle);
  const float one = 1.0f, zero = 0.0f;
  cublasSgemm_v2(handle, 0, 0, cols, rows, inner, &one, b.data_ptr<float>(), cols, a.data_ptr<float>(), inner,
                 &zero, product.data_ptr<float>(), cols);
  copy_kernel<<<(count + 255) / 256, 256>>>(product.data_ptr<float>(), out.data_ptr<float>(), count);
  return out;
}
"""
ext = load_inline(name="rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["run_matmul"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, a, b):
        return self.ext.run_matmul(a, b)
