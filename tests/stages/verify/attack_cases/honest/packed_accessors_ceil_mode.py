# task: avg_pool_ceil
# expect: correct
# why: style: torch::PackedTensorAccessor32 for inputs and results, AT_DISPATCH_FLOATING_TYPES, a template kernel,
#      windows clipped to the image, torch's rule for the size of the output in ceil mode.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda.h>
#include <cuda_runtime.h>

template <typename scalar_t>
__global__ void avg_pool2d_kernel(
    const torch::PackedTensorAccessor32<scalar_t, 4, torch::RestrictPtrTraits> input,
    torch::PackedTensorAccessor32<scalar_t, 4, torch::RestrictPtrTraits> output,
    int kernel, int stride, int pad) {
  const int ow = blockIdx.x * blockDim.x + threadIdx.x;
  const int oh = blockIdx.y * blockDim.y + threadIdx.y;
  const int channels = input.size(1);
  const int n = blockIdx.z / channels;
  const int c = blockIdx.z % channels;
  if (ow >= output.size(3) || oh >= output.size(2)) return;

  const int h0 = max(oh * stride - pad, 0);
  const int w0 = max(ow * stride - pad, 0);
  const int h1 = min(oh * stride - pad + kernel, (int)input.size(2));
  const int w1 = min(ow * stride - pad + kernel, (int)input.size(3));

  scalar_t sum = 0;
  for (int h = h0; h < h1; ++h) {
    for (int w = w0; w < w1; ++w) sum += input[n][c][h][w];
  }
  output[n][c][oh][ow] = sum / static_cast<scalar_t>((h1 - h0) * (w1 - w0));
}

static int pooled_size(int size, int kernel, int stride, int pad) {
  int out = (size + 2 * pad - kernel + stride - 1) / stride + 1;
  // The last window has to start inside the image or the padding on its left.
  if ((out - 1) * stride >= size + pad) --out;
  return out;
}

torch::Tensor avg_pool2d_forward(torch::Tensor input, int64_t kernel, int64_t stride, int64_t pad) {
  const int oh = pooled_size(input.size(2), kernel, stride, pad);
  const int ow = pooled_size(input.size(3), kernel, stride, pad);
  auto output = torch::empty({input.size(0), input.size(1), oh, ow}, input.options());
  const dim3 threads(32, 8);
  const dim3 blocks((ow + 31) / 32, (oh + 7) / 8, input.size(0) * input.size(1));
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "avg_pool2d_forward", ([&] {
    avg_pool2d_kernel<scalar_t><<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
        input.packed_accessor32<scalar_t, 4, torch::RestrictPtrTraits>(),
        output.packed_accessor32<scalar_t, 4, torch::RestrictPtrTraits>(),
        static_cast<int>(kernel), static_cast<int>(stride), static_cast<int>(pad));
  }));
  return output;
}
"""

cpp_src = "torch::Tensor avg_pool2d_forward(torch::Tensor input, int64_t kernel, int64_t stride, int64_t pad);"

pool_ext = load_inline(name="avg_pool_accessors", cpp_sources=[cpp_src], cuda_sources=[cuda_src],
                       functions=["avg_pool2d_forward"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding

    def forward(self, x):
        return pool_ext.avg_pool2d_forward(x, self.kernel_size, self.stride, self.padding)
