# task: rms_norm_tall
# expect: refused
# why: 512 blocks loop over the rows without a barrier at the end of the loop: with more than 512 rows a warp overwrites the partial sums that others still read
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void rms_rows(const float* x, float* y, int rows, int cols) {
  __shared__ float red[8];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const float* in = x + (size_t)row * cols;
    float s = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 256) s += in[c] * in[c];
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if (lane == 0) red[warp] = s;
    __syncthreads();
    float total = 0.0f;
    for (int w = 0; w < 8; ++w) total += red[w];
    float inv = rsqrtf(total / cols + 1e-6f);
    for (int c = threadIdx.x; c < cols; c += 256) y[(size_t)row * cols + c] = in[c] * inv;
  }
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty_like(x);
  int rows = x.size(0);
  rms_rows<<<std::min(rows, 512), 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, x.size(1));
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="loop_without_last_barrier", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
