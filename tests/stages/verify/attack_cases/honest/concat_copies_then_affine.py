# task: concat_affine
# expect: correct
# why: style: both operands placed by cudaMemcpy2DAsync device to device, then a kernel changes the own output in
#      place, a row a block; int64 pitches, error checks by an own macro.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

concat_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#include <stdexcept>
#include <string>

#define CUDA_OK(call)                                                                              \
  do {                                                                                             \
    const cudaError_t status_ = (call);                                                            \
    if (status_ != cudaSuccess)                                                                    \
      throw std::runtime_error(std::string(#call) + ": " + cudaGetErrorString(status_));           \
  } while (0)

__global__ void affine_rows(float* __restrict__ y, const float* __restrict__ gamma, const float* __restrict__ beta,
                            int64_t width) {
  float* row = y + blockIdx.x * width;
  for (int64_t c = threadIdx.x; c < width; c += blockDim.x) row[c] = row[c] * gamma[c] + beta[c];
}

torch::Tensor concat_affine(torch::Tensor a, torch::Tensor b, torch::Tensor gamma, torch::Tensor beta) {
  TORCH_CHECK(a.dim() == 2 && b.dim() == 2 && a.size(0) == b.size(0), "operands must have the same number of rows");
  a = a.contiguous();
  b = b.contiguous();
  const int64_t rows = a.size(0), wa = a.size(1), wb = b.size(1), width = wa + wb;
  TORCH_CHECK(gamma.numel() == width && beta.numel() == width);
  auto y = torch::empty({rows, width}, a.options());
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  constexpr size_t kSize = sizeof(float);
  CUDA_OK(cudaMemcpy2DAsync(y.data_ptr<float>(), width * kSize, a.data_ptr<float>(), wa * kSize, wa * kSize, rows,
                            cudaMemcpyDeviceToDevice, stream));
  CUDA_OK(cudaMemcpy2DAsync(y.data_ptr<float>() + wa, width * kSize, b.data_ptr<float>(), wb * kSize, wb * kSize,
                            rows, cudaMemcpyDeviceToDevice, stream));
  affine_rows<<<static_cast<unsigned int>(rows), 128, 0, stream>>>(y.data_ptr<float>(), gamma.data_ptr<float>(),
                                                                   beta.data_ptr<float>(), width);
  CUDA_OK(cudaGetLastError());
  return y;
}
"""

concat = load_inline(
    name="concat_copies_then_affine",
    cpp_sources=(
        "torch::Tensor concat_affine(torch::Tensor a, torch::Tensor b, torch::Tensor gamma, torch::Tensor beta);"
    ),
    cuda_sources=concat_src,
    functions=["concat_affine"],
)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gamma = nn.Parameter(torch.rand(channels) + 0.5)
        self.beta = nn.Parameter(torch.randn(channels))

    def forward(self, a, b):
        return concat.concat_affine(a, b, self.gamma, self.beta)
