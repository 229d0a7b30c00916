# task: column_sums
# expect: correct
# why: 64 row slices write partial column sums to a workspace, a second kernel adds them in order; same stream, so reuse is safe
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <mutex>

__global__ void partial_sums(const float* __restrict__ x, float* __restrict__ partial, int rows, int cols, int rows_per_slice) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  const int first = blockIdx.y * rows_per_slice, last = min(rows, first + rows_per_slice);
  float sum = 0.f;
  for (int r = first; r < last; ++r) sum += x[(size_t)r * cols + c];
  partial[blockIdx.y * cols + c] = sum;
}

__global__ void final_sums(const float* __restrict__ partial, float* __restrict__ out, int slices, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float sum = 0.f;
  for (int s = 0; s < slices; ++s) sum += partial[s * cols + c];
  out[c] = sum;
}

static std::mutex workspace_mutex;
static torch::Tensor* workspace = nullptr;  // never freed: torch may be gone when statics are destroyed
static int64_t capacity = 1024;

static float* workspace_for(int64_t needed, const torch::TensorOptions& options) {
  if (workspace == nullptr || workspace->numel() < needed) {
    while (capacity < needed) capacity *= 2;
    delete workspace;
    workspace = new torch::Tensor(torch::empty({capacity}, options));
  }
  return workspace->data_ptr<float>();
}

torch::Tensor column_sums(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 2 && x.is_contiguous() && x.scalar_type() == torch::kFloat);
  const int rows = x.size(0), cols = x.size(1);
  const int slices = std::min(64, rows), rows_per_slice = (rows + slices - 1) / slices;
  auto out = torch::empty({cols}, x.options());
  const auto stream = at::cuda::getCurrentCUDAStream();
  std::lock_guard<std::mutex> lock(workspace_mutex);
  float* partial = workspace_for(static_cast<int64_t>(slices) * cols, x.options());
  const int threads = 128, blocks = (cols + threads - 1) / threads;
  partial_sums<<<dim3(blocks, slices), threads, 0, stream>>>(x.data_ptr<float>(), partial, rows, cols, rows_per_slice);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  final_sums<<<blocks, threads, 0, stream>>>(partial, out.data_ptr<float>(), slices, cols);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

column_ext = load_inline(
    name="column_sums_workspace",
    cpp_sources="torch::Tensor column_sums(torch::Tensor x);",
    cuda_sources=cuda_source,
    functions=["column_sums"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return column_ext.column_sums(x)
