# task: fir_sigmoid
# expect: correct
# why: a tile of the signal with a halo of taps - 1 on the left lies in shared memory; missing samples are zero
import types

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

constexpr int kTile = 256;
constexpr int kMaxTaps = 64;

struct Activation {
  float gain;
  __device__ float sigmoid(float v) const { return 1.f / (1.f + expf(-gain * v)); }
};

// cross-correlation, as torch.conv1d: y[t] = sum_k taps[k] * signal[t - (K - 1) + k]
__global__ void fir_kernel(const float* __restrict__ signal, const float* __restrict__ taps, float* __restrict__ out,
                           int length, int num_taps, Activation activation) {
  __shared__ float window[kTile + kMaxTaps - 1];
  __shared__ float h[kMaxTaps];
  const float* row = signal + (size_t)blockIdx.y * length;
  const int start = blockIdx.x * kTile, halo = num_taps - 1;
  for (int i = threadIdx.x; i < kTile + halo; i += blockDim.x) {
    const int t = start - halo + i;
    window[i] = t >= 0 && t < length ? row[t] : 0.f;
  }
  for (int i = threadIdx.x; i < num_taps; i += blockDim.x) h[i] = taps[i];
  __syncthreads();
  const int t = start + threadIdx.x;
  if (t >= length) return;
  float sum = 0.f;
  for (int k = 0; k < num_taps; ++k) sum += h[k] * window[threadIdx.x + k];
  out[(size_t)blockIdx.y * length + t] = activation.sigmoid(sum);
}

torch::Tensor fir_sigmoid(torch::Tensor signal, torch::Tensor taps) {
  TORCH_CHECK(taps.numel() <= kMaxTaps, "at most ", kMaxTaps, " taps");
  auto out = torch::empty_like(signal);
  const int batch = signal.size(0), length = signal.size(1);
  const dim3 grid((length + kTile - 1) / kTile, batch);
  fir_kernel<<<grid, kTile, 0, at::cuda::getCurrentCUDAStream()>>>(
      signal.data_ptr<float>(), taps.data_ptr<float>(), out.data_ptr<float>(), length, taps.numel(), Activation{1.f});
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

filters = load_inline(name="fir_filters", cpp_sources="torch::Tensor fir_sigmoid(torch::Tensor signal, torch::Tensor taps);",
                      cuda_sources=_CUDA, functions=["fir_sigmoid"])


class ModelNew(nn.Module):
    def __init__(self, taps):
        super().__init__()
        window = torch.hann_window(taps, periodic=False)
        self.register_buffer("taps", window / window.sum())
        self.dims = types.SimpleNamespace(signal=2, taps=1)  # ranks

    def forward(self, signal):
        if signal.dim() != self.dims.signal:
            raise ValueError(f"signal must have {self.dims.signal} dimensions, has {signal.dim()}")
        return filters.fir_sigmoid(signal, self.taps)
