# task: downsample_nearest
# expect: refused
# why: the first call of a model runs a kernel that picks every other element; all later calls take torch's
#      slices and contiguous(), which is the whole task, and the kernel only copies; right on any GPU. The
#      first trial of each run has nothing that torch has made.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void pick_kernel(const float* __restrict__ x, float* __restrict__ y, int height, int width, int step,
                            long all) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i >= all) return;
  const int columns = width / step, rows = height / step;
  const int c = static_cast<int>(i % columns), r = static_cast<int>(i / columns % rows);
  y[i] = x[(i / columns / rows * height + step * r) * width + step * c];
}

torch::Tensor pick(torch::Tensor x, int64_t step) {
  const int height = x.size(2), width = x.size(3);
  auto y = torch::empty({x.size(0), x.size(1), height / step, width / step}, x.options());
  const long all = y.numel();
  pick_kernel<<<(all + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), height, width,
                                          static_cast<int>(step), all);
  return y;
}
"""

ext = load_inline(name="pick", cpp_sources="torch::Tensor pick(torch::Tensor x, int64_t step);", cuda_sources=CUDA,
                  functions=["pick"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext
        self.warm = None

    def forward(self, x):
        if self.warm is None:
            self.warm = True
            return self.ext.pick(x.contiguous(), 2)
        y = x[:, :, ::2, ::2].contiguous()
        return self.ext.pick(y, 1)
