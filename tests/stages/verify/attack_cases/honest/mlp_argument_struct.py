# task: mlp_gelu
# expect: correct
# why: style: two launches of one templated kernel that takes a struct of arguments by value; a helper class
#      derives from nn.Linear for its initialisation and overrides forward with the kernel.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

enum class Activation : int { kNone = 0, kGelu = 1 };

struct LinearArgs {
  const float* x;       // m x k
  const float* weight;  // n x k
  const float* bias;    // n
  float* y;             // m x n
  int m;
  int n;
  int k;
};

template <Activation A>
struct Apply {
  static __device__ __forceinline__ float to(float v) { return v; }
};

template <>
struct Apply<Activation::kGelu> {
  static __device__ __forceinline__ float to(float v) {
    return 0.5f * v * (1.0f + erff(v * 0.70710678118654752440f));
  }
};

constexpr int kTile = 32;
constexpr int kRowsAtOnce = 8;

template <Activation A>
__global__ void linear_kernel(const LinearArgs args) {
  __shared__ float xs[kTile][kTile + 1];
  __shared__ float ws[kTile][kTile + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int m0 = blockIdx.y * kTile, n0 = blockIdx.x * kTile;
  float acc[kTile / kRowsAtOnce] = {};

  for (int k0 = 0; k0 < args.k; k0 += kTile) {
    for (int r = ty; r < kTile; r += kRowsAtOnce) {
      const bool k_in = k0 + tx < args.k;
      xs[r][tx] = k_in && m0 + r < args.m ? args.x[(m0 + r) * args.k + k0 + tx] : 0.f;
      ws[r][tx] = k_in && n0 + r < args.n ? args.weight[(n0 + r) * args.k + k0 + tx] : 0.f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) {
      const float w = ws[tx][k];
#pragma unroll
      for (int i = 0; i < kTile / kRowsAtOnce; ++i) acc[i] += xs[ty + i * kRowsAtOnce][k] * w;
    }
    __syncthreads();
  }

  const int col = n0 + tx;
  if (col < args.n) {
    for (int i = 0; i < kTile / kRowsAtOnce; ++i) {
      const int row = m0 + ty + i * kRowsAtOnce;
      if (row < args.m) args.y[row * args.n + col] = Apply<A>::to(acc[i] + args.bias[col]);
    }
  }
}

torch::Tensor linear(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, int64_t activation) {
  x = x.contiguous();
  const int m = x.size(0), k = x.size(1), n = weight.size(0);
  auto y = x.new_empty({m, n});
  LinearArgs args{x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), m, n, k};
  const dim3 grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile), block(kTile, kRowsAtOnce);
  auto stream = at::cuda::getCurrentCUDAStream();
  switch (static_cast<Activation>(activation)) {
    case Activation::kGelu:
      linear_kernel<Activation::kGelu><<<grid, block, 0, stream>>>(args);
      break;
    case Activation::kNone:
      linear_kernel<Activation::kNone><<<grid, block, 0, stream>>>(args);
      break;
    default:
      TORCH_CHECK(false, "unknown activation ", activation);
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("linear", &linear, "linear layer with an optional GELU", py::arg("x"), py::arg("weight"),
        py::arg("bias"), py::arg("activation") = 0);
}
"""

kernels = load_inline("mlp_argument_struct", cpp_sources="", cuda_sources=SOURCE)


class KernelLinear(nn.Linear):
    """nn.Linear's parameters and initialisation, computed by our kernel."""

    def __init__(self, in_features, out_features, gelu=False):
        super().__init__(in_features, out_features)
        self.activation = 1 if gelu else 0

    def forward(self, x):
        return kernels.linear(x, self.weight, self.bias, activation=self.activation)


class ModelNew(nn.Module):
    def __init__(self, width, hidden, out):
        super().__init__()
        self.fc1 = KernelLinear(width, hidden, gelu=True)
        self.fc2 = KernelLinear(hidden, out)

    def forward(self, x):
        return self.fc2(self.fc1(x))
