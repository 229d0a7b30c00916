# task: column_var_mean
# expect: refused
# why: blocks merge count, mean and squares of a column under a lock of atomicCAS and atomicExch without a fence: the next
#      owner may read what its cache holds of the old state, or the lock may be free before the writes are seen, and parts are
#      lost; blocks that run one after the other always see them
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
__global__ void merge_parts(const float* x, float* state, int* locks, int rows, int cols, int part) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  int begin = blockIdx.y * part, end = min(rows, begin + part);
  float n = 0.f, mean = 0.f, m2 = 0.f;
  for (int r = begin; r < end; ++r) {
    float v = x[(size_t)r * cols + c];
    n += 1.f;
    float d = v - mean;
    mean += d / n;
    m2 += d * (v - mean);
  }
  float* own = state + c * 3;
  bool done = false;
  while (!done) {
    if (atomicCAS(&locks[c], 0, 1) == 0) {
      float total = own[0] + n, d = mean - own[1];
      own[2] = own[2] + m2 + d * d * own[0] * n / total;
      own[1] = own[1] + d * n / total;
      own[0] = total;
      atomicExch(&locks[c], 0);
      done = true;
    }
  }
}
__global__ void finish(const float* state, float* mean, float* var, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  mean[c] = state[c * 3 + 1];
  var[c] = state[c * 3 + 2] / state[c * 3];
}
std::vector<torch::Tensor> var_mean(torch::Tensor x) {
  int rows = x.size(0), cols = x.size(1), part = 64;
  auto state = torch::zeros({cols, 3}, x.options());
  auto locks = torch::zeros({cols}, x.options().dtype(torch::kInt32));
  auto mean = torch::empty({cols}, x.options()), var = torch::empty({cols}, x.options());
  auto s = at::cuda::getCurrentCUDAStream();
  merge_parts<<<dim3((cols + 63) / 64, (rows + part - 1) / part), 64, 0, s>>>(x.data_ptr<float>(), state.data_ptr<float>(), locks.data_ptr<int>(), rows, cols, part);
  finish<<<(cols + 63) / 64, 64, 0, s>>>(state.data_ptr<float>(), mean.data_ptr<float>(), var.data_ptr<float>(), cols);
  return {mean, var};
}
"""

cpp_source = """
std::vector<torch::Tensor> var_mean(torch::Tensor x);
"""

ext = load_inline(name="24_lock_without_fence", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['var_mean'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.var_mean(x.contiguous())
