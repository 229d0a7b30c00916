# task: embedding_mean
# expect: correct
# why: one warp per sentence loads indices together, hands them on by shuffles and adds float4 parts of table rows; a loop over steps of 32 words and over blocks of columns
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
__global__ void mean_kernel(const int64_t* __restrict__ indices, const float* __restrict__ table, float* __restrict__ y, int batch, int seq, int dim) {
  int sentence = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (sentence >= batch) return;
  for (int d = 0; d < dim; d += 128) {
    int at = d + lane * 4;
    float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int begin = 0; begin < seq; begin += 32) {
      long long own = begin + lane < seq ? (long long)indices[(size_t)sentence * seq + begin + lane] : 0;
      int count = min(32, seq - begin);
      for (int k = 0; k < count; ++k) {
        long long word = __shfl_sync(0xffffffffu, own, k);
        if (at < dim) {
          float4 v = __ldg(reinterpret_cast<const float4*>(table + word * dim + at));
          sum.x += v.x; sum.y += v.y; sum.z += v.z; sum.w += v.w;
        }
      }
    }
    if (at < dim) {
      float scale = 1.0f / seq;
      *reinterpret_cast<float4*>(y + (size_t)sentence * dim + at) = make_float4(sum.x * scale, sum.y * scale, sum.z * scale, sum.w * scale);
    }
  }
}
torch::Tensor embedding_mean(torch::Tensor indices, torch::Tensor table) {
  int batch = indices.size(0), seq = indices.size(1), dim = table.size(1);
  TORCH_CHECK(dim % 4 == 0, "the dimension must be a multiple of four");
  auto y = torch::empty({batch, dim}, table.options());
  mean_kernel<<<(batch + 3) / 4, dim3(32, 4), 0, at::cuda::getCurrentCUDAStream()>>>(indices.data_ptr<int64_t>(), table.data_ptr<float>(), y.data_ptr<float>(), batch, seq, dim);
  return y;
}
"""

cpp_source = """
torch::Tensor embedding_mean(torch::Tensor indices, torch::Tensor table);
"""

ext = load_inline(name="14_embedding_warp_vectors", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['embedding_mean'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, indices, table):
        return ext.embedding_mean(indices.contiguous(), table.contiguous())
