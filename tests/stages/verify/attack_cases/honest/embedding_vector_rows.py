# task: ../../tasks/embedding
# expect: correct
# why: float4 rows where the width and the pointers allow it (20 floats do), float otherwise; index type by AT_DISPATCH_INDEX_TYPES; 2-D blocks.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

embedding_cuda = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/Dispatch.h>

__device__ __forceinline__ float twice(float v) { return 2.0f * v; }
__device__ __forceinline__ float4 twice(float4 v) {
  return make_float4(2.0f * v.x, 2.0f * v.y, 2.0f * v.z, 2.0f * v.w);
}

template <typename vec_t, typename index_t>
__global__ void gather_twice(const vec_t* __restrict__ table, const index_t* __restrict__ indices,
                             vec_t* __restrict__ out, int64_t count, int width) {
  const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= count) return;
  const vec_t* source = table + (int64_t)indices[row] * width;
  vec_t* target = out + row * width;
  for (int i = threadIdx.x; i < width; i += blockDim.x) target[i] = twice(source[i]);
}

torch::Tensor embed(torch::Tensor indices, torch::Tensor table) {
  auto idx = indices.contiguous();
  auto t = table.contiguous();
  const int dim = t.size(1);
  auto sizes = idx.sizes().vec();
  sizes.push_back(dim);
  auto out = torch::empty(sizes, t.options());
  const int64_t count = idx.numel();
  if (count == 0) return out;

  const dim3 block(8, 16);
  const unsigned int grid = (count + block.y - 1) / block.y;
  auto stream = at::cuda::getCurrentCUDAStream();
  const float* tp = t.data_ptr<float>();
  float* op = out.data_ptr<float>();
  const bool wide = dim % 4 == 0 && reinterpret_cast<uintptr_t>(tp) % sizeof(float4) == 0 &&
                    reinterpret_cast<uintptr_t>(op) % sizeof(float4) == 0;
  AT_DISPATCH_INDEX_TYPES(idx.scalar_type(), "embed", [&] {
    if (wide) {
      gather_twice<float4, index_t><<<grid, block, 0, stream>>>(
          reinterpret_cast<const float4*>(tp), idx.data_ptr<index_t>(), reinterpret_cast<float4*>(op),
          count, dim / 4);
    } else {
      gather_twice<float, index_t><<<grid, block, 0, stream>>>(tp, idx.data_ptr<index_t>(), op, count,
                                                               dim);
    }
  });
  return out;
}
"""

embedding_ext = load_inline(
    name="embedding_vector_rows",
    cpp_sources="torch::Tensor embed(torch::Tensor indices, torch::Tensor table);",
    cuda_sources=embedding_cuda,
    functions=["embed"],
)


class ModelNew(nn.Module):
    def __init__(self, num_embeddings, embedding_dim):
        super().__init__()
        self.table = nn.Embedding(num_embeddings, embedding_dim)

    def forward(self, indices):
        return embedding_ext.embed(indices, self.table.weight)
