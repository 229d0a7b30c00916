# task: index_add_of_honest
# expect: correct
# why: messages are added to a clone by atomicAdd, whose order only changes the last bits; a device flag reports bad indices
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

__global__ void scatter_messages(float* __restrict__ nodes, const int64_t* __restrict__ index,
                                 const float* __restrict__ messages, int* __restrict__ bad, int edges, int nodes_count, int dim) {
  const int edge = blockIdx.x * blockDim.y + threadIdx.y;
  if (edge >= edges) return;
  const int64_t node = index[edge];
  if (node < 0 || node >= nodes_count) {
    if (threadIdx.x == 0) atomicExch(bad, 1);
    return;
  }
  for (int d = threadIdx.x; d < dim; d += blockDim.x) atomicAdd(&nodes[node * dim + d], messages[(int64_t)edge * dim + d]);
}

torch::Tensor& accumulate_(torch::Tensor& nodes, const torch::Tensor& index, const torch::Tensor& messages) {
  TORCH_CHECK_INDEX(index.scalar_type() == torch::kLong, "index must be int64");
  TORCH_CHECK_VALUE(messages.size(0) == index.numel(), "one message per index");
  auto bad = torch::zeros({1}, index.options().dtype(torch::kInt));
  const int edges = index.numel(), dim = nodes.size(1);
  const dim3 block(64, 4), grid((edges + 3) / 4);
  scatter_messages<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(
      nodes.data_ptr<float>(), index.data_ptr<int64_t>(), messages.data_ptr<float>(), bad.data_ptr<int>(), edges,
      static_cast<int>(nodes.size(0)), dim);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  TORCH_CHECK_INDEX(bad.item<int>() == 0, "index out of range in accumulate_");
  return nodes;
}
"""

graph_ops = load_inline(
    name="graph_accumulate",
    cpp_sources="torch::Tensor& accumulate_(torch::Tensor& nodes, const torch::Tensor& index, const torch::Tensor& messages);",
    cuda_sources=_CUDA,
    functions=["accumulate_"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, nodes, index, messages):
        out = nodes.clone()
        graph_ops.accumulate_(out, index, messages)
        return out
