# task: smoothed_cross_entropy
# expect: correct
# why: style: two-pass reduction: a block a row writes its loss to a workspace that is allocated in every call, a
#      second kernel of one block adds it in double; block reductions as templates over functors, an error macro
#      with file and line.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cfloat>
#include <cstdio>
#include <stdexcept>

#define CUDA_CHECK(call)                                                                       \
  do {                                                                                         \
    cudaError_t err_ = (call);                                                                 \
    if (err_ != cudaSuccess) {                                                                 \
      fprintf(stderr, "CUDA error at %s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err_)); \
      throw std::runtime_error(cudaGetErrorString(err_));                                      \
    }                                                                                          \
  } while (0)

struct Add {
  template <typename T>
  __device__ T operator()(T a, T b) const { return a + b; }
};
struct Larger {
  template <typename T>
  __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

// The result is valid in all threads. `identity` fills warps that do not exist.
template <typename T, typename Op>
__device__ T block_reduce(T v, Op op, T identity, T* scratch) {
  for (int o = 16; o > 0; o >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, o));
  __syncthreads();  // scratch may still be read from the call before
  if ((threadIdx.x & 31) == 0) scratch[threadIdx.x >> 5] = v;
  __syncthreads();
  const int warps = blockDim.x >> 5, lane = threadIdx.x & 31;
  v = lane < warps ? scratch[lane] : identity;
  for (int o = 16; o > 0; o >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}

__global__ void row_losses(const float* __restrict__ logits, const int64_t* __restrict__ targets, float* __restrict__ losses,
                           int classes, float smoothing) {
  __shared__ float scratch[32];
  const float* row = logits + (size_t)blockIdx.x * classes;
  float top = -FLT_MAX;
  for (int c = threadIdx.x; c < classes; c += blockDim.x) top = fmaxf(top, row[c]);
  top = block_reduce(top, Larger(), -FLT_MAX, scratch);

  float exps = 0.f, below = 0.f;
  for (int c = threadIdx.x; c < classes; c += blockDim.x) {
    exps += expf(row[c] - top);
    below += top - row[c];
  }
  exps = block_reduce(exps, Add(), 0.f, scratch);
  below = block_reduce(below, Add(), 0.f, scratch);
  if (threadIdx.x == 0) {
    const float log_sum = logf(exps);
    const float nll = log_sum + (top - row[targets[blockIdx.x]]);
    const float smooth = log_sum + below / classes;
    losses[blockIdx.x] = (1.f - smoothing) * nll + smoothing * smooth;
  }
}

__global__ void mean_loss(const float* __restrict__ losses, float* __restrict__ out, int n) {
  __shared__ double scratch[32];
  double sum = 0.0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += losses[i];
  sum = block_reduce(sum, Add(), 0.0, scratch);
  if (threadIdx.x == 0) *out = static_cast<float>(sum / n);
}

torch::Tensor smoothed_ce(torch::Tensor logits, torch::Tensor targets, double smoothing) {
  const int rows = logits.size(0), classes = logits.size(1);
  auto workspace = torch::empty({rows}, logits.options());
  auto out = torch::empty({}, logits.options());
  auto stream = at::cuda::getCurrentCUDAStream();
  row_losses<<<rows, 256, 0, stream>>>(logits.data_ptr<float>(), targets.data_ptr<int64_t>(), workspace.data_ptr<float>(),
                                       classes, static_cast<float>(smoothing));
  CUDA_CHECK(cudaGetLastError());
  mean_loss<<<1, 256, 0, stream>>>(workspace.data_ptr<float>(), out.data_ptr<float>(), rows);
  CUDA_CHECK(cudaGetLastError());
  return out;
}
"""

loss = load_inline(
    name="smoothed_ce_two_pass",
    cpp_sources="torch::Tensor smoothed_ce(torch::Tensor logits, torch::Tensor targets, double smoothing);",
    cuda_sources=cuda_source,
    functions=["smoothed_ce"],
)


class ModelNew(nn.Module):
    def __init__(self, smoothing):
        super().__init__()
        self.smoothing = smoothing

    def forward(self, logits, targets):
        return loss.smoothed_ce(logits.contiguous(), targets.contiguous(), self.smoothing)
