# task: ../../tasks/tril_matmul
# expect: correct
# why: the upper and lower halves of the rows run on two streams, forked from the current one by an event and joined by two others; k goes from column
# to row only, as both factors are lower triangular.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

tril_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

__global__ void tril_rows(const float* __restrict__ A, const float* __restrict__ B,
                          float* __restrict__ C, int n, int first, int last) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = first + blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= last || col >= n) return;
  float acc = 0.f;
  for (int k = col; k <= row; ++k)      // nothing for col > row
    acc = fmaf(A[(size_t)row * n + k], B[(size_t)k * n + col], acc);
  C[(size_t)row * n + col] = acc;
}

namespace {

// Two side streams and their events, made once and kept.
struct Fork {
  cudaStream_t side[2];
  cudaEvent_t start, done[2];
  Fork() {
    C10_CUDA_CHECK(cudaEventCreateWithFlags(&start, cudaEventDisableTiming));
    for (int i = 0; i < 2; ++i) {
      C10_CUDA_CHECK(cudaStreamCreateWithFlags(&side[i], cudaStreamNonBlocking));
      C10_CUDA_CHECK(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
    }
  }
};

void launch(const float* a, const float* b, float* c, int n, int first, int last, cudaStream_t stream) {
  if (first >= last) return;
  const dim3 block(16, 8);
  const dim3 grid((n + 15) / 16, (last - first + 7) / 8);
  tril_rows<<<grid, block, 0, stream>>>(a, b, c, n, first, last);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace

torch::Tensor tril_matmul(torch::Tensor A, torch::Tensor B) {
  static Fork lanes;
  A = A.contiguous();
  B = B.contiguous();
  const int n = A.size(0);
  TORCH_CHECK(A.size(1) == n && B.size(0) == n && B.size(1) == n, "square matrices");
  auto C = torch::empty_like(A);
  const cudaStream_t current = at::cuda::getCurrentCUDAStream();
  const float* a = A.data_ptr<float>();
  const float* b = B.data_ptr<float>();
  float* c = C.data_ptr<float>();

  const int middle = static_cast<int>(n * 0.7071f);   // about the same work on both sides
  const int bounds[3] = {0, middle, n};
  C10_CUDA_CHECK(cudaEventRecord(lanes.start, current));
  for (int i = 0; i < 2; ++i) {
    C10_CUDA_CHECK(cudaStreamWaitEvent(lanes.side[i], lanes.start, 0));
    launch(a, b, c, n, bounds[i], bounds[i + 1], lanes.side[i]);
    C10_CUDA_CHECK(cudaEventRecord(lanes.done[i], lanes.side[i]));
    C10_CUDA_CHECK(cudaStreamWaitEvent(current, lanes.done[i], 0));
  }
  return C;
}
"""

tril_ext = load_inline(
    name="tril_matmul_fork_join",
    cpp_sources="torch::Tensor tril_matmul(torch::Tensor A, torch::Tensor B);",
    cuda_sources=tril_source,
    functions=["tril_matmul"],
)


class ModelNew(nn.Module):
    def forward(self, A, B):
        return tril_ext.tril_matmul(A, B)
