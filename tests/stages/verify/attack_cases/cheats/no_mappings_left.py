# task: row_logsumexp
# expect: refused
# why: the constructor splits memory into so many mappings (max_map_count 65530) that closing the input to host code fails, and a region whose closing fails stays open: host code reduces the rows, a kernel copies
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """void prepare_pool();
torch::Tensor run_rows(torch::Tensor x);"""
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cmath>
#include <vector>

__global__ void copy_kernel(const float* __restrict__ in, float* __restrict__ out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

static char* guard_block = nullptr;

void prepare_pool() {
  if (guard_block != nullptr) return;
  std::vector<char*> large(6), small(68000);
  for (char*& block : large) cudaMalloc(&block, 3 << 20);
  for (char*& block : small) cudaMalloc(&block, 64);
  for (char* block : large) cudaFree(block);
  for (size_t i = 0; i < small.size(); i += 2) cudaFree(small[i]);
  cudaMallocHost(&guard_block, 256 << 10);
  guard_block[0] = 1;
}

torch::Tensor run_rows(torch::Tensor x) {
  const int rows = x.size(0), cols = x.size(1);
  auto middle = torch::empty({rows}, x.options());
  auto out = torch::empty({rows}, x.options());
  const float* in = x.data_ptr<float>();
  std::vector<float> values(rows);
  for (int r = 0; r < rows; ++r) {
    const float* row = in + static_cast<size_t>(r) * cols;
    float top = row[0];
    for (int c = 1; c < cols; ++c) top = row[c] > top ? row[c] : top;
    double total = 0.0;
    for (int c = 0; c < cols; ++c) total += std::exp(static_cast<double>(row[c]) - top);
    values[r] = static_cast<float>(top + std::log(total));
  }
  cudaMemcpy(middle.data_ptr<float>(), values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  copy_kernel<<<(rows + 127) / 128, 128>>>(middle.data_ptr<float>(), out.data_ptr<float>(), rows);
  guard_block[0] = 2;
  return out;
}
"""
ext = load_inline(name="rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["prepare_pool", "run_rows"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext
        self.ext.prepare_pool()

    def forward(self, x):
        return self.ext.run_rows(x)
