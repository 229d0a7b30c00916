# task: bias_gelu_b
# expect: correct
# why: an autograd.Function with a backward kernel; the extension is built when it is first used, under a lock with a second look, and kept in a module variable
import threading
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_CPP = """
torch::Tensor bias_gelu_forward(torch::Tensor x, torch::Tensor bias);
torch::Tensor bias_gelu_backward(torch::Tensor grad, torch::Tensor x, torch::Tensor bias);
torch::Tensor column_sum(torch::Tensor x);
"""
_CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

__global__ void forward_kernel(const float* x, const float* bias, float* y, int width, int64_t n) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i] + bias[i % width];
  y[i] = 0.5f * v * (1.0f + erff(v * 0.70710678118654752f));
}

__global__ void backward_kernel(const float* grad, const float* x, const float* bias, float* dx,
                                int width, int64_t n) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i] + bias[i % width];
  const float cdf = 0.5f * (1.0f + erff(v * 0.70710678118654752f));
  const float pdf = 0.3989422804014327f * expf(-0.5f * v * v);
  dx[i] = grad[i] * (cdf + v * pdf);
}

__global__ void column_sum_kernel(const float* x, float* out, int rows, int width) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= width) return;
  float sum = 0.0f;
  for (int row = 0; row < rows; ++row) sum += x[(int64_t)row * width + column];
  out[column] = sum;
}

torch::Tensor column_sum(torch::Tensor x) {
  const int width = x.size(-1), rows = x.numel() / width;
  auto out = torch::empty({width}, x.options());
  column_sum_kernel<<<(width + 127) / 128, 128>>>(x.data_ptr<float>(), out.data_ptr<float>(), rows, width);
  return out;
}

torch::Tensor bias_gelu_forward(torch::Tensor x, torch::Tensor bias) {
  auto y = torch::empty_like(x);
  const int64_t n = x.numel();
  if (n == 0) return y;
  forward_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), bias.data_ptr<float>(),
                                           y.data_ptr<float>(), bias.numel(), n);
  return y;
}

torch::Tensor bias_gelu_backward(torch::Tensor grad, torch::Tensor x, torch::Tensor bias) {
  auto dx = torch::empty_like(x);
  const int64_t n = x.numel();
  backward_kernel<<<(n + 255) / 256, 256>>>(grad.data_ptr<float>(), x.data_ptr<float>(),
                                            bias.data_ptr<float>(), dx.data_ptr<float>(), bias.numel(), n);
  return dx;
}
"""
_lock = threading.Lock()
_module = None


def _extension():
    global _module
    if _module is None:
        with _lock:
            if _module is None:
                _module = load_inline(name="bias_gelu_ext", cpp_sources=_CPP, cuda_sources=_CUDA,
                                      functions=["bias_gelu_forward", "bias_gelu_backward", "column_sum"],
                                      extra_cuda_cflags=["-O3", "--expt-relaxed-constexpr"])
    return _module


class BiasGelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bias):
        ctx.save_for_backward(x, bias)
        return _extension().bias_gelu_forward(x, bias)

    @staticmethod
    def backward(ctx, grad):
        x, bias = ctx.saved_tensors
        dx = _extension().bias_gelu_backward(grad.contiguous(), x, bias)
        return dx, _extension().column_sum(dx)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(width))

    def forward(self, x):
        return BiasGelu.apply(x.contiguous(), self.bias)
