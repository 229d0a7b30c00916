# task: masked_select
# expect: correct
# why: count per block, exclusive scan of the counts, then a stable scatter; only the total is read back to size the output
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp = """
torch::Tensor block_offsets(torch::Tensor mask);
void compact(torch::Tensor x, torch::Tensor mask, torch::Tensor offsets, torch::Tensor out, double factor);
"""

cuda = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

constexpr int B = 256;

__global__ void count_kernel(const bool* __restrict__ mask, int* __restrict__ counts, int n) {
  const int i = blockIdx.x * B + threadIdx.x;
  const int count = __syncthreads_count(i < n && mask[i]);
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

// exclusive scan of `blocks` counts by one block; offsets[blocks] becomes the total
__global__ void scan_kernel(const int* __restrict__ counts, int* __restrict__ offsets, int blocks) {
  __shared__ int buffer[2][B];
  int carry = 0;
  for (int base = 0; base < blocks; base += B) {
    const int i = base + threadIdx.x;
    const int own = i < blocks ? counts[i] : 0;
    int in = 0;
    buffer[in][threadIdx.x] = own;
    __syncthreads();
    for (int d = 1; d < B; d <<= 1) {
      int v = buffer[in][threadIdx.x];
      if (threadIdx.x >= d) v += buffer[in][threadIdx.x - d];
      buffer[in ^ 1][threadIdx.x] = v;
      in ^= 1;
      __syncthreads();
    }
    if (i < blocks) offsets[i] = carry + buffer[in][threadIdx.x] - own;
    carry += buffer[in][B - 1];
    __syncthreads();
  }
  if (threadIdx.x == 0) offsets[blocks] = carry;
}

__global__ void scatter_kernel(const float* __restrict__ x, const bool* __restrict__ mask, const int* __restrict__ offsets,
                               float* __restrict__ out, int n, float factor) {
  __shared__ int warp_counts[B / 32];
  const int i = blockIdx.x * B + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const bool keep = i < n && mask[i];
  const unsigned votes = __ballot_sync(0xffffffffu, keep);
  if (lane == 0) warp_counts[warp] = __popc(votes);
  __syncthreads();
  int position = offsets[blockIdx.x] + __popc(votes & ((1u << lane) - 1));
  for (int w = 0; w < warp; ++w) position += warp_counts[w];
  if (keep) out[position] = x[i] * factor;
}

torch::Tensor block_offsets(torch::Tensor mask) {
  const int n = mask.numel(), blocks = (n + B - 1) / B;
  auto counts = torch::empty({blocks}, mask.options().dtype(torch::kInt));
  auto offsets = torch::empty({blocks + 1}, counts.options());
  auto stream = at::cuda::getCurrentCUDAStream();
  count_kernel<<<blocks, B, 0, stream>>>(mask.data_ptr<bool>(), counts.data_ptr<int>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  scan_kernel<<<1, B, 0, stream>>>(counts.data_ptr<int>(), offsets.data_ptr<int>(), blocks);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return offsets;
}

void compact(torch::Tensor x, torch::Tensor mask, torch::Tensor offsets, torch::Tensor out, double factor) {
  const int n = x.numel();
  scatter_kernel<<<(n + B - 1) / B, B, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), mask.data_ptr<bool>(), offsets.data_ptr<int>(), out.data_ptr<float>(), n, factor);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}
"""

compaction = load_inline(name="masked_compaction", cpp_sources=cpp, cuda_sources=cuda, functions=["block_offsets", "compact"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, mask):
        offsets = compaction.block_offsets(mask)
        total = int(offsets[-1].item())
        out = torch.empty(total, dtype=x.dtype, device=x.device)
        if total > 0:
            compaction.compact(x, mask, offsets, out, 2.0)
        return out
