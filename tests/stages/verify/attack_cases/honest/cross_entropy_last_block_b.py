# task: ../../tasks/cross_entropy
# expect: correct
# why: one launch: the last block (ticket with fences) adds the partial losses in a fixed order and sets the ticket back to zero for the next call.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

ce_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

constexpr int WARPS = 4;

__global__ void ce_kernel(const float* __restrict__ logits, const int64_t* __restrict__ targets,
                          float* partial, unsigned int* ticket, float* loss, int batch, int classes) {
  __shared__ float losses[WARPS];
  __shared__ bool last;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = blockIdx.x * WARPS + warp;

  float value = 0.f;
  if (row < batch) {                     // the same for the whole warp
    const float* p = logits + (size_t)row * classes;
    float m = -INFINITY, s = 0.f;
    for (int c = lane; c < classes; c += 32) m = fmaxf(m, p[c]);
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    for (int c = lane; c < classes; c += 32) s += expf(p[c] - m);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    value = m + logf(s) - p[targets[row]];
  }
  if (lane == 0) losses[warp] = value;
  __syncthreads();

  if (threadIdx.x == 0) {
    float sum = 0.f;
    for (int w = 0; w < WARPS; ++w) sum += losses[w];
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    double total = 0.0;
    const volatile float* all = partial;
    for (unsigned int b = 0; b < gridDim.x; ++b) total += all[b];
    *loss = (float)(total / batch);
    *ticket = 0u;
  }
}

torch::Tensor ce_forward(torch::Tensor logits, torch::Tensor targets, torch::Tensor ticket) {
  logits = logits.contiguous();
  targets = targets.contiguous();
  const int batch = logits.size(0), classes = logits.size(1);
  const int blocks = (batch + WARPS - 1) / WARPS;
  auto partial = torch::empty({blocks}, logits.options());
  auto loss = torch::empty({}, logits.options());
  ce_kernel<<<blocks, WARPS * 32, 0, at::cuda::getCurrentCUDAStream()>>>(
      logits.data_ptr<float>(), targets.data_ptr<int64_t>(), partial.data_ptr<float>(),
      reinterpret_cast<unsigned int*>(ticket.data_ptr<int>()), loss.data_ptr<float>(), batch, classes);
  return loss;
}
"""

ce = load_inline(
    name="cross_entropy_last_block",
    cpp_sources="torch::Tensor ce_forward(torch::Tensor logits, torch::Tensor targets, torch::Tensor ticket);",
    cuda_sources=ce_source,
    functions=["ce_forward"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("ticket", torch.zeros(1, dtype=torch.int32), persistent=False)

    def forward(self, predictions, targets):
        if self.ticket.device != predictions.device:
            self.ticket = self.ticket.to(predictions.device)
        return ce.ce_forward(predictions, targets, self.ticket)
