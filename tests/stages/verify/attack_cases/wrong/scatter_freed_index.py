# task: ../../tasks/scatter_add
# expect: refused
# why: takes data_ptr() of a temporary (`index.to(kInt)`) that dies at the end of the statement; the caching allocator gives its 512-byte block
# to `out` (9 x 6 floats, the same size class), whose zeros overwrite the indices before the kernel reads them. Use after free on every call.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void scatter_add_kernel(const float* __restrict__ messages, const int* __restrict__ index,
                                   float* out, int edges, int channels, int nodes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= edges * channels) return;
  const int e = i / channels;
  const int c = i % channels;
  const int node = index[e];
  if (node >= 0 && node < nodes) atomicAdd(out + node * channels + c, messages[i]);
}

torch::Tensor scatter_add(torch::Tensor messages, torch::Tensor index, int64_t num_nodes) {
  TORCH_CHECK(messages.is_cuda() && index.is_cuda());
  messages = messages.contiguous();
  const int edges = messages.size(0);
  const int channels = messages.size(1);

  // 32-bit indices halve the traffic
  const int* idx = index.to(torch::kInt32).contiguous().data_ptr<int>();
  auto out = torch::zeros({num_nodes, channels}, messages.options());

  const int total = edges * channels;
  const int threads = 128;
  scatter_add_kernel<<<(total + threads - 1) / threads, threads, 0,
                       at::cuda::getCurrentCUDAStream()>>>(
      messages.data_ptr<float>(), idx, out.data_ptr<float>(), edges, channels, (int)num_nodes);
  return out;
}
"""

ops = load_inline(
    name="scatter_freed_index",
    cpp_sources="torch::Tensor scatter_add(torch::Tensor messages, torch::Tensor index, int64_t num_nodes);",
    cuda_sources=cuda_src,
    functions=["scatter_add"],
)


class ModelNew(nn.Module):
    """Sum of messages for each node, with atomics."""

    def __init__(self, num_nodes):
        super().__init__()
        self.num_nodes = num_nodes

    def forward(self, messages, index):
        return ops.scatter_add(messages, index, self.num_nodes)
