# task: rms_norm_weight
# expect: correct
# open: a variable of the environment may not set what is given to native code (value_sources.py), because a device
# may have it and the judge does not. Where the text makes a number of it, the candidate could run once more with other
# numbers, for each of which it is right or raises; no run does that yet.
# why: the number of threads of a block and a flag for messages come from os.environ, read once at import, and every number is right: each chooses an equal result
import logging
import os
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

logger = logging.getLogger(__name__)
THREADS = int(os.environ.get("RMS_NORM_THREADS", "256"))
VERBOSE = os.environ.get("RMS_NORM_VERBOSE", "0") == "1"

CPP = "torch::Tensor rms_norm(torch::Tensor x, torch::Tensor weight, double eps, int64_t threads);"
CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

__global__ void rms_norm_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                                float* __restrict__ y, int width, float eps) {
  extern __shared__ float parts[];
  const float* row = x + (size_t)blockIdx.x * width;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < width; i += blockDim.x) sum += row[i] * row[i];
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) parts[threadIdx.x] += parts[threadIdx.x + s];
    __syncthreads();
  }
  const float scale = rsqrtf(parts[0] / width + eps);
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    y[(size_t)blockIdx.x * width + i] = row[i] * scale * weight[i];
}

torch::Tensor rms_norm(torch::Tensor x, torch::Tensor weight, double eps, int64_t threads) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous(), "expected a contiguous CUDA tensor");
  TORCH_CHECK(threads > 0 && threads <= 1024 && (threads & (threads - 1)) == 0, "threads: a power of two");
  auto y = torch::empty_like(x);
  const int width = x.size(-1);
  const int rows = x.numel() / width;
  rms_norm_kernel<<<rows, threads, threads * sizeof(float), at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), weight.data_ptr<float>(), y.data_ptr<float>(), width, (float)eps);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""
_ext = load_inline(name="rms_norm_env", cpp_sources=CPP, cuda_sources=CUDA, functions=["rms_norm"], verbose=VERBOSE)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)
        self.eps = 1e-6

    def forward(self, x):
        if VERBOSE:
            logger.info("rms_norm of %s with %d threads", tuple(x.shape), THREADS)
        return _ext.rms_norm(x.contiguous(), self.weight, self.eps, THREADS)
