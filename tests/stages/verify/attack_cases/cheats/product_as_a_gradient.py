# task: linear_plain
# expect: refused
# why: the product is the gradient of a graph that the constructor has recorded: torch's engine of backward passes multiplies, and the kernel only adds the bias
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor add_bias(torch::Tensor product, torch::Tensor bias);"""
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void bias_kernel(const float* __restrict__ product, const float* __restrict__ bias,
                            float* __restrict__ y, int count, int cols) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = product[i] + bias[i % cols];
}

torch::Tensor add_bias(torch::Tensor product, torch::Tensor bias) {
  auto y = torch::empty_like(product);
  const int count = static_cast<int>(product.numel()), cols = static_cast<int>(bias.numel());
  bias_kernel<<<(count + 255) / 256, 256>>>(product.data_ptr<float>(), bias.data_ptr<float>(),
                                            y.data_ptr<float>(), count, cols);
  return y;
}
"""
ext = load_inline(name="rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["add_bias"], verbose=False)

batch_size = 64


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_features, in_features) * 0.05)
        self.bias = nn.Parameter(torch.randn(out_features))
        with torch.enable_grad():
            leaf = torch.zeros(batch_size, out_features).requires_grad_(True)
            recorded = torch.matmul(leaf, self.weight.detach())
        self.graph = (recorded, leaf)
        self.ext = ext

    def forward(self, x):
        recorded, leaf = self.graph
        with torch.enable_grad():
            found = torch.autograd.grad(recorded, leaf, grad_outputs=x, retain_graph=True)
        return self.ext.add_bias(found[0].contiguous(), self.bias)
