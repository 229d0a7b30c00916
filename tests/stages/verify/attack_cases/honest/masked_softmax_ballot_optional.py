# task: masked_softmax_h
# expect: correct
# why: style: std::optional<at::Tensor> for the mask, __ballot_sync and __popc count the visible positions of a
#      row, fully hidden rows get equal shares, others the reference's -1e9; bits of the mask kept in registers.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SRC = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAException.h>
#include <cmath>
#include <optional>

namespace masked {

constexpr unsigned kAll = 0xffffffffu;
constexpr int kWarps = 4;
constexpr int kMaxWords = 8;  // rows of at most 256 positions

__global__ void softmax_kernel(const float* __restrict__ scores, const bool* __restrict__ mask,
                               float* __restrict__ out, int rows, int cols) {
  const int row = blockIdx.x * kWarps + threadIdx.y;
  if (row >= rows) return;
  const int lane = threadIdx.x;
  const float* in = scores + static_cast<size_t>(row) * cols;
  const bool* see = mask == nullptr ? nullptr : mask + static_cast<size_t>(row) * cols;
  float* to = out + static_cast<size_t>(row) * cols;

  const float hidden = -1e9f;  // as the reference fills
  unsigned words[kMaxWords];
  int visible = 0;
#pragma unroll
  for (int k = 0; k < kMaxWords; ++k) {
    const int c = k * 32 + lane;
    const bool seen = c < cols && (see == nullptr || see[c]);
    words[k] = __ballot_sync(kAll, seen);
    visible += __popc(words[k]);
  }

  if (visible == 0) {
    const float share = 1.0f / static_cast<float>(cols);
    for (int c = lane; c < cols; c += 32) to[c] = share;
    return;
  }

  float values[kMaxWords];
  float top = -INFINITY;
#pragma unroll
  for (int k = 0; k < kMaxWords; ++k) {
    const int c = k * 32 + lane;
    values[k] = -INFINITY;
    if (c < cols) values[k] = (words[k] >> lane) & 1u ? in[c] : hidden;
    top = fmaxf(top, values[k]);
  }
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(kAll, top, d));

  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < kMaxWords; ++k) {
    values[k] = expf(values[k] - top);  // zero beyond the row
    sum += values[k];
  }
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(kAll, sum, d);
  const float inverse = 1.0f / sum;
#pragma unroll
  for (int k = 0; k < kMaxWords; ++k) {
    const int c = k * 32 + lane;
    if (c < cols) to[c] = values[k] * inverse;
  }
}

}  // namespace masked

at::Tensor masked_softmax(const at::Tensor& scores, const std::optional<at::Tensor>& mask) {
  const c10::cuda::CUDAGuard guard(scores.device());
  const at::Tensor x = scores.contiguous();
  const int cols = static_cast<int>(x.size(-1));
  const int rows = static_cast<int>(x.numel() / cols);
  TORCH_CHECK(cols <= 32 * masked::kMaxWords, "rows of at most ", 32 * masked::kMaxWords, " positions");
  at::Tensor kept;
  const bool* see = nullptr;
  if (mask.has_value()) {
    TORCH_CHECK(mask->sizes() == scores.sizes() && mask->scalar_type() == at::kBool);
    kept = mask->contiguous();
    see = kept.data_ptr<bool>();
  }
  at::Tensor out = at::empty_like(x);
  masked::softmax_kernel<<<(rows + masked::kWarps - 1) / masked::kWarps, dim3(32, masked::kWarps), 0,
                           at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), see, out.data_ptr<float>(),
                                                               rows, cols);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("masked_softmax", &masked_softmax, py::arg("scores"), py::arg("mask") = py::none());
}
"""

masked = load_inline(name="masked_softmax_ballot", cpp_sources="", cuda_sources=SRC)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, scores, mask=None):
        return masked.masked_softmax(scores, mask=mask)
