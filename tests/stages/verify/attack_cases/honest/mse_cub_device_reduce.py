# task: ../../tasks/mse_loss
# expect: refused
# why: the answer is right, but an algorithm of CUB for a whole device is a library that does the work, as cuBLAS is; cub::DeviceReduce over a transform iterator of squared differences, temporary storage from the caching allocator, a small kernel for the mean.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

mse_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cub/device/device_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

struct SquaredError {
  const float* a;
  const float* b;
  __host__ __device__ double operator()(int i) const {
    const double d = (double)a[i] - (double)b[i];
    return d * d;
  }
};

__global__ void finish(const double* sum, float* loss, int n) { *loss = (float)(*sum / n); }

torch::Tensor mse(torch::Tensor predictions, torch::Tensor targets) {
  TORCH_CHECK(predictions.sizes() == targets.sizes(), "the sizes differ");
  auto p = predictions.contiguous(), t = targets.contiguous();
  const int n = p.numel();
  auto stream = at::cuda::getCurrentCUDAStream();
  auto sum = torch::empty({1}, p.options().dtype(torch::kFloat64));
  auto loss = torch::empty({}, p.options());

  auto errors = thrust::make_transform_iterator(
      thrust::counting_iterator<int>(0), SquaredError{p.data_ptr<float>(), t.data_ptr<float>()});
  size_t bytes = 0;
  C10_CUDA_CHECK(cub::DeviceReduce::Sum(nullptr, bytes, errors, sum.data_ptr<double>(), n, stream.stream()));
  auto storage = torch::empty({(int64_t)bytes}, p.options().dtype(torch::kUInt8));
  C10_CUDA_CHECK(cub::DeviceReduce::Sum(storage.data_ptr(), bytes, errors, sum.data_ptr<double>(), n, stream.stream()));
  finish<<<1, 1, 0, stream>>>(sum.data_ptr<double>(), loss.data_ptr<float>(), n);
  return loss;
}
"""

mse_ext = load_inline(
    name="mse_cub_device_reduce",
    cpp_sources="torch::Tensor mse(torch::Tensor predictions, torch::Tensor targets);",
    cuda_sources=mse_source,
    functions=["mse"],
)


class ModelNew(nn.Module):
    def forward(self, predictions, targets):
        return mse_ext.mse(predictions, targets)
