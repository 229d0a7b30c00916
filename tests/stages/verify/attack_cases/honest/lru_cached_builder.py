# task: depthwise_conv1d
# expect: correct
# why: one block per (batch, channel) stages the padded row in shared memory; the number of taps is a macro of the build
import functools
import textwrap

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_DECLARATION = "torch::Tensor depthwise(torch::Tensor x, torch::Tensor w, torch::Tensor b);"

_KERNEL = textwrap.dedent(r"""
    #include <torch/extension.h>
    #include <ATen/cuda/CUDAContext.h>
    #include <c10/cuda/CUDAException.h>

    #ifndef TAPS
    #error "TAPS must be defined by the build"
    #endif
    #define RADIUS (TAPS / 2)

    __global__ void depthwise_kernel(const float* __restrict__ x, const float* __restrict__ w,
                                     const float* __restrict__ b, float* __restrict__ y, int channels, int length) {
      extern __shared__ float row[];  // length + 2 * RADIUS
      const int plane = blockIdx.x, c = plane % channels;
      const float* src = x + (size_t)plane * length;
      for (int i = threadIdx.x; i < length + 2 * RADIUS; i += blockDim.x) {
        const int at = i - RADIUS;
        row[i] = at >= 0 && at < length ? src[at] : 0.f;
      }
      float taps[TAPS];
    #pragma unroll
      for (int t = 0; t < TAPS; ++t) taps[t] = w[c * TAPS + t];
      __syncthreads();
      for (int i = threadIdx.x; i < length; i += blockDim.x) {
        float sum = b[c];
    #pragma unroll
        for (int t = 0; t < TAPS; ++t) sum = fmaf(row[i + t], taps[t], sum);
        y[(size_t)plane * length + i] = sum;
      }
    }

    torch::Tensor depthwise(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
      TORCH_CHECK(w.size(2) == TAPS, "built for ", TAPS, " taps, got ", w.size(2));
      auto y = torch::empty_like(x, x.options());
      const int channels = x.size(1), length = x.size(2);
      const size_t bytes = (length + 2 * RADIUS) * sizeof(float);
      TORCH_CHECK(bytes <= 48 * 1024, "the row does not fit into shared memory");
      depthwise_kernel<<<x.size(0) * channels, 128, bytes, at::cuda::getCurrentCUDAStream()>>>(
          x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), channels, length);
      C10_CUDA_KERNEL_LAUNCH_CHECK();
      return y;
    }
""")


@functools.lru_cache(maxsize=None)
def build(taps: int):
    return load_inline(
        name=f"depthwise_conv1d_k{taps}",
        cpp_sources=_DECLARATION,
        cuda_sources=_KERNEL,
        functions=["depthwise"],
        extra_cuda_cflags=["-O3", f"-DTAPS={taps}"],
    )


class ModelNew(nn.Module):
    def __init__(self, channels, taps):
        super().__init__()
        assert taps % 2 == 1, "only odd kernels keep the length"
        self.conv = nn.Conv1d(channels, channels, taps, padding=taps // 2, groups=channels)
        self.taps = taps

    def forward(self, x):
        return build(self.taps).depthwise(x, self.conv.weight, self.conv.bias)
