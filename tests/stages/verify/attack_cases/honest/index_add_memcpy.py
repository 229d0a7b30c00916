# task: index_add
# expect: correct
# why: the output begins as a copy by cudaMemcpyAsync() from the device to the device, and atomics add to it
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#define CUDA_OK(call)                                                                   \
  do {                                                                                  \
    cudaError_t status_ = (call);                                                       \
    TORCH_CHECK(status_ == cudaSuccess, #call, " failed: ", cudaGetErrorString(status_)); \
  } while (0)

__global__ void add_rows_kernel(float* __restrict__ out, const int64_t* __restrict__ index,
                                const float* __restrict__ source, int updates, int width) {
  // blockDim = (32, 8): x walks along a row, y over the updates
  const int u = blockIdx.x * blockDim.y + threadIdx.y;
  if (u >= updates) return;
  const int64_t row = index[u];
  for (int c = threadIdx.x; c < width; c += blockDim.x)
    atomicAdd(out + row * width + c, source[(int64_t)u * width + c]);
}

torch::Tensor index_add_rows(const torch::Tensor& table, const torch::Tensor& index,
                             const torch::Tensor& source) {
  TORCH_CHECK(table.is_contiguous() && index.is_contiguous() && source.is_contiguous());
  TORCH_CHECK(index.scalar_type() == torch::kLong, "index must be int64");
  torch::Tensor out = torch::empty_like(table);
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  // Untouched rows are the table's: start from a device-to-device copy.
  CUDA_OK(cudaMemcpyAsync(out.data_ptr(), table.data_ptr(), table.nbytes(), cudaMemcpyDeviceToDevice,
                          stream));
  const int updates = index.numel(), width = table.size(1);
  const dim3 block(32, 8);
  if (updates > 0) {
    add_rows_kernel<<<(updates + block.y - 1) / block.y, block, 0, stream>>>(
        out.data_ptr<float>(), index.data_ptr<int64_t>(), source.data_ptr<float>(), updates, width);
    CUDA_OK(cudaGetLastError());
  }
  return out;
}
"""

cpp_src = """
torch::Tensor index_add_rows(const torch::Tensor& table, const torch::Tensor& index,
                             const torch::Tensor& source);
"""

_ext = load_inline(name="h03_index_add_memcpy", cpp_sources=[cpp_src], cuda_sources=[cuda_src],
                   functions=["index_add_rows"], with_cuda=True)


class ModelNew(nn.Module):
    def forward(self, table: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        return _ext.index_add_rows(table.contiguous(), index.contiguous(), source.contiguous())
