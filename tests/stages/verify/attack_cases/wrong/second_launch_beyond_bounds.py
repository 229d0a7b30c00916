# task: swiglu
# expect: refused
# why: the kernel has __launch_bounds__(256); its second launch, for the rest, has 512 threads a block, which a device refuses
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void __launch_bounds__(256) swiglu(const float* gate, const float* up, float* y, int first, int n) {
  int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float g = gate[i];
    y[i] = g / (1.0f + expf(-g)) * up[i];
  }
}
torch::Tensor run(torch::Tensor a, torch::Tensor b) {
  auto y = torch::empty_like(a);
  int n = a.numel();
  int whole = n / 65536 * 65536;
  if (whole > 0) swiglu<<<whole / 256, 256>>>(a.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), 0, whole);
  if (n > whole) swiglu<<<(n - whole + 511) / 512, 512>>>(a.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), whole, n);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor a, torch::Tensor b);
'''

extension = load_inline(name="second_launch_beyond_bounds", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, gate, up):
        return extension.run(gate, up)
