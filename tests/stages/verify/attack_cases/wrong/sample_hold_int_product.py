# task: sample_hold
# expect: refused
# why: `t * length / new_length` in int: 479999 * 1323000 is 6.4e11 and overflows from t = 1624 on, so the (clamped) index is wrong.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

resample = load_inline(
    name="sample_hold_int_product",
    cpp_sources="torch::Tensor sample_hold(torch::Tensor audio, int64_t new_length);",
    cuda_sources=r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void sample_hold_kernel(const float* __restrict__ audio, float* __restrict__ out,
                                   int length, int new_length) {
  const int channel = blockIdx.y;
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= new_length) return;
  int source = t * length / new_length;
  source = min(max(source, 0), length - 1);   // never outside the signal
  out[(size_t)channel * new_length + t] = __ldg(audio + (size_t)channel * length + source);
}

torch::Tensor sample_hold(torch::Tensor audio, int64_t new_length) {
  audio = audio.contiguous();
  const int channels = audio.size(0), length = audio.size(1);
  auto out = torch::empty({channels, new_length}, audio.options());
  const dim3 grid((new_length + 255) / 256, channels);
  sample_hold_kernel<<<grid, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      audio.data_ptr<float>(), out.data_ptr<float>(), length, (int)new_length);
  return out;
}
""",
    functions=["sample_hold"],
)


class ModelNew(nn.Module):
    def __init__(self, new_length):
        super().__init__()
        self.new_length = new_length

    def forward(self, audio):
        return resample.sample_hold(audio, self.new_length)
