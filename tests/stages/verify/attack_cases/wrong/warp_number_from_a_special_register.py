# task: half_mean
# expect: refused
# why: each warp leaves its part at the place that %warpid names, which PTX defines as the place of the warp on its multiprocessor: an H100 gives 1 for the first warp of some blocks, and more than the block has warps for others
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

__device__ __forceinline__ unsigned warp_number() {
  unsigned number;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(number));
  return number;
}

__global__ void row_mean(const __half* x, __half* y, int cols) {
  __shared__ float parts[8];
  const __half* row = x + (size_t)blockIdx.x * cols;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 256) sum += __half2float(row[c]);
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
  const unsigned warp = warp_number();
  if ((threadIdx.x & 31) == 0 && warp < 8) parts[warp] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int w = 0; w < 8; ++w) total += parts[w];
    y[blockIdx.x] = __float2half(total / cols);
  }
}

torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty({x.size(0)}, x.options());
  row_mean<<<x.size(0), 256>>>(reinterpret_cast<const __half*>(x.data_ptr<at::Half>()), reinterpret_cast<__half*>(y.data_ptr<at::Half>()), x.size(1));
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="row_mean_by_warp_number", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.run(x)
