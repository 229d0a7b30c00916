# task: ../../tasks/cross_entropy
# expect: refused
# why: the last block to finish (a ticket in device memory) adds up the blocks' partial losses, but nobody sets the ticket back: from the second
# call on no block is the last and the loss is never written (uninitialised memory). Batch 12 takes 3 blocks.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__device__ unsigned int ticket = 0;

constexpr int kRowsPerBlock = 4;

__global__ void cross_entropy_kernel(const float* __restrict__ logits,
                                     const int64_t* __restrict__ targets,
                                     volatile float* partial, float* loss, int batch, int classes) {
  __shared__ float row_loss[kRowsPerBlock];
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const int row = blockIdx.x * kRowsPerBlock + warp;

  float value = 0.f;
  if (row < batch) {
    const float* p = logits + (size_t)row * classes;
    float m = -INFINITY;
    for (int c = lane; c < classes; c += 32) m = fmaxf(m, p[c]);
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    float s = 0.f;
    for (int c = lane; c < classes; c += 32) s += expf(p[c] - m);
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    value = logf(s) + m - p[targets[row]];
  }
  if (lane == 0) row_loss[warp] = value;
  __syncthreads();

  if (threadIdx.x == 0) {
    float sum = 0.f;
    for (int w = 0; w < kRowsPerBlock; ++w) sum += row_loss[w];
    partial[blockIdx.x] = sum;
    __threadfence();
    const unsigned int mine = atomicAdd(&ticket, 1u);
    if (mine == gridDim.x - 1) {       // the last block
      float total = 0.f;
      for (unsigned int b = 0; b < gridDim.x; ++b) total += partial[b];
      *loss = total / batch;
    }
  }
}

torch::Tensor cross_entropy(torch::Tensor logits, torch::Tensor targets) {
  logits = logits.contiguous();
  targets = targets.contiguous();
  const int batch = logits.size(0), classes = logits.size(1);
  const int blocks = (batch + kRowsPerBlock - 1) / kRowsPerBlock;
  auto partial = torch::empty({blocks}, logits.options());
  auto loss = torch::empty({}, logits.options());
  cross_entropy_kernel<<<blocks, 32 * kRowsPerBlock, 0, at::cuda::getCurrentCUDAStream()>>>(
      logits.data_ptr<float>(), targets.data_ptr<int64_t>(), partial.data_ptr<float>(),
      loss.data_ptr<float>(), batch, classes);
  return loss;
}
"""

ce = load_inline(
    name="cross_entropy_ticket_kept",
    cpp_sources="torch::Tensor cross_entropy(torch::Tensor logits, torch::Tensor targets);",
    cuda_sources=cuda_source,
    functions=["cross_entropy"],
)


class ModelNew(nn.Module):
    def forward(self, predictions, targets):
        return ce.cross_entropy(predictions, targets)
