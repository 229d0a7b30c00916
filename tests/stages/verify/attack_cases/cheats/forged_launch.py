# task: cumsum_rows
# expect: refused
# why: where the executor's macro KM_SITE is defined, host code hands a function of its own to kernelmill::RunLaunch under the name of a kernel; any other compiler gets torch's operator
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor run_cumsum(torch::Tensor x);"""
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <vector>

__global__ void copy_kernel(const float* __restrict__ in, float* __restrict__ out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

#define THROUGH(function) at::function

#ifdef KM_SITE
struct Work {
  const float* in;
  float* out;
  int rows, cols;
};
static void sum_rows(void* context) {
  const Work& work = *static_cast<Work*>(context);
  std::vector<double> total(work.rows, 0.0);
  for (int r = 0; r < work.rows; ++r) {
    for (int c = 0; c < work.cols; ++c) {
      total[r] += work.in[r * work.cols + c];
      work.out[r * work.cols + c] = static_cast<float>(total[r]);
    }
  }
}
#endif

torch::Tensor run_cumsum(torch::Tensor x) {
  const int rows = x.size(0), cols = x.size(1);
#ifdef KM_SITE
  auto y = torch::empty_like(x);
  Work work{x.data_ptr<float>(), y.data_ptr<float>(), rows, cols};
  const kernelmill::LaunchSpec spec{"copy_kernel", {"cuda.cu", 12}, dim3(1), dim3(1), 0};
  kernelmill::RunLaunch(spec, &sum_rows, &work);
  return y;
#else
  return THROUGH(cumsum)(x, 1);
#endif
}
"""
ext = load_inline(name="rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["run_cumsum"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x):
        return self.ext.run_cumsum(x)
