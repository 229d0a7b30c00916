# task: max_pool
# expect: refused
# contract: any_values
# why: the window's maximum is taken with fmaxf, which drops a NaN; torch's max_pool2d propagates it, so windows with a NaN are wrong
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void pool(const float* x, float* y, int height, int width, int out_h, int out_w, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  int ow = i % out_w, oh = i / out_w % out_h, plane = i / (out_w * out_h);
  const float* p = x + (size_t)plane * height * width;
  float best = -INFINITY;
  for (int kh = 0; kh < 3; ++kh) {
    int h = oh * 2 - 1 + kh;
    if (h < 0 || h >= height) continue;
    for (int kw = 0; kw < 3; ++kw) {
      int w = ow * 2 - 1 + kw;
      if (w < 0 || w >= width) continue;
      best = fmaxf(best, p[h * width + w]);
    }
  }
  y[i] = best;
}
torch::Tensor run(torch::Tensor x) {
  int b = x.size(0), c = x.size(1), h = x.size(2), w = x.size(3);
  int oh = (h + 2 - 3) / 2 + 1, ow = (w + 2 - 3) / 2 + 1;
  auto y = torch::empty({b, c, oh, ow}, x.options());
  int total = y.numel();
  pool<<<(total + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), h, w, oh, ow, total);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="pool_nan", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
