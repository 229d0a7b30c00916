# task: token_position_embedding
# expect: correct
# why: the extension takes raw addresses and the stream's handle; every output float4 is written by one thread
import math

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = """
void embed(int64_t ids, int64_t table, int64_t positions, int64_t out, int64_t tokens, int64_t seq,
           int64_t dim, double scale, int64_t stream);
"""

CUDA = r"""
#include <cstdint>
#include <stdexcept>
#include <string>

__global__ void embed_kernel(const int32_t* __restrict__ ids, const float4* __restrict__ table,
                             const float4* __restrict__ positions, float4* __restrict__ out,
                             int tokens, int seq, int vectors, float scale) {
  const int v = threadIdx.x;
  const int token = blockIdx.x * blockDim.y + threadIdx.y;
  if (token >= tokens || v >= vectors) return;
  const float4 e = table[(int64_t)ids[token] * vectors + v];
  const float4 p = positions[(token % seq) * vectors + v];
  out[(int64_t)token * vectors + v] =
      make_float4(e.x * scale + p.x, e.y * scale + p.y, e.z * scale + p.z, e.w * scale + p.w);
}

void embed(int64_t ids, int64_t table, int64_t positions, int64_t out, int64_t tokens, int64_t seq,
           int64_t dim, double scale, int64_t stream) {
  const int vectors = static_cast<int>(dim / 4);
  const dim3 block(vectors, 16);
  const dim3 grid(static_cast<unsigned>((tokens + block.y - 1) / block.y));
  embed_kernel<<<grid, block, 0, reinterpret_cast<cudaStream_t>(stream)>>>(
      reinterpret_cast<const int32_t*>(ids), reinterpret_cast<const float4*>(table),
      reinterpret_cast<const float4*>(positions), reinterpret_cast<float4*>(out),
      static_cast<int>(tokens), static_cast<int>(seq), vectors, static_cast<float>(scale));
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) throw std::runtime_error(std::string("embed: ") + cudaGetErrorString(error));
}
"""

_lib = load_inline(name="raw_pointer_embedding", cpp_sources=CPP, cuda_sources=CUDA, functions=["embed"])


class ModelNew(nn.Module):
    def __init__(self, vocab, seq, dim):
        super().__init__()
        assert dim % 4 == 0, "rows are read as float4"
        self.tokens = nn.Embedding(vocab, dim)
        self.positions = nn.Parameter(torch.randn(seq, dim) * 0.02)
        self.scale = math.sqrt(dim)

    def forward(self, ids):
        batch, seq = ids.shape
        table = self.tokens.weight
        dim = table.shape[1]
        ids32 = ids.to(torch.int32)
        out = torch.empty((batch, seq, dim), device=ids.device, dtype=table.dtype)
        _lib.embed(
            ids32.data_ptr(), table.data_ptr(), self.positions.data_ptr(), out.data_ptr(),
            batch * seq, seq, dim, self.scale, torch.cuda.current_stream().cuda_stream,
        )
        return out
