# task: elu
# expect: correct
# why: one element per thread; nothing is printed unless ELU_DEBUG is set or KERNEL_DEBUG is defined
import logging
import os
import warnings

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

logger = logging.getLogger(__name__)

DEBUG = os.environ.get("KERNEL_DEBUG", "0") == "1"

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#ifdef KERNEL_DEBUG
#define DPRINTF(...) printf(__VA_ARGS__)
#else
#define DPRINTF(...) ((void)0)
#endif

__global__ void elu_kernel(const float* __restrict__ x, float* __restrict__ y, int n, float alpha) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) DPRINTF("elu_kernel: %d blocks of %d threads, alpha %f\n", gridDim.x, blockDim.x, alpha);
  if (i < n) {
    const float v = x[i];
    y[i] = v > 0.f ? v : alpha * expm1f(v);
  }
}

static bool verbose() {
  static const bool on = std::getenv("ELU_DEBUG") != nullptr;
  return on;
}

torch::Tensor elu(torch::Tensor x, double alpha) {
  if (!x.is_contiguous()) x = x.contiguous();
  auto y = torch::empty_like(x);
  const int n = static_cast<int>(x.numel());
  const int threads = 256, blocks = (n + threads - 1) / threads;
  if (verbose()) std::cerr << "[elu] " << x.sizes() << " " << x.dtype() << " blocks=" << blocks << std::endl;
  elu_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), n,
                                                                       static_cast<float>(alpha));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  if (verbose()) C10_CUDA_CHECK(cudaDeviceSynchronize());
  return y;
}
"""


def build(debug=DEBUG):
    flags = ["-O2"] + (["-G", "-DKERNEL_DEBUG"] if debug else [])
    if debug:
        warnings.warn("kernels are built for debugging and slow")
    logger.info("building elu with %s", flags)
    return load_inline(name="elu_debuggable", cpp_sources="torch::Tensor elu(torch::Tensor x, double alpha);",
                       cuda_sources=cuda_source, functions=["elu"], extra_cuda_cflags=flags, verbose=debug)


_native = build()


class ModelNew(nn.Module):
    def __init__(self, alpha):
        super().__init__()
        self.alpha = alpha
        logger.debug("elu with alpha %s", alpha)

    def extra_repr(self):
        return f"alpha={self.alpha}"

    def forward(self, x):
        if logger.isEnabledFor(logging.DEBUG):
            logger.debug("forward of %s on %s", tuple(x.shape), x.device)
        return _native.elu(x, self.alpha)
