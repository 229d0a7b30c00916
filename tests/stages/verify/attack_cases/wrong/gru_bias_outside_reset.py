# task: ../../tasks/gru_cell
# expect: refused
# why: the new gate is tanh(W_in x + b_in + r * (W_hn h) + b_hn): torch multiplies b_hn by the reset gate too (the cuDNN form). Off by up to
# (1 - r) * b_hn, 0.1 or so at hidden 14.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

gru_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__device__ __forceinline__ float sigmoidf(float v) { return 1.0f / (1.0f + __expf(-v)); }

// A block for each sample, a thread for each hidden unit; x and h of the sample are staged.
__global__ void gru_cell_kernel(const float* __restrict__ x, const float* __restrict__ h,
                                const float* __restrict__ w_ih, const float* __restrict__ w_hh,
                                const float* __restrict__ b_ih, const float* __restrict__ b_hh,
                                float* __restrict__ out, int I, int H) {
  extern __shared__ float stage[];
  float* xs = stage;
  float* hs = stage + I;
  const int n = blockIdx.x;
  for (int i = threadIdx.x; i < I; i += blockDim.x) xs[i] = x[n * I + i];
  for (int i = threadIdx.x; i < H; i += blockDim.x) hs[i] = h[n * H + i];
  __syncthreads();

  for (int u = threadIdx.x; u < H; u += blockDim.x) {
    float r = b_ih[u] + b_hh[u];
    float z = b_ih[H + u] + b_hh[H + u];
    float in = b_ih[2 * H + u] + b_hh[2 * H + u];
    float hn = 0.0f;
    for (int i = 0; i < I; ++i) {
      const float v = xs[i];
      r = fmaf(w_ih[u * I + i], v, r);
      z = fmaf(w_ih[(H + u) * I + i], v, z);
      in = fmaf(w_ih[(2 * H + u) * I + i], v, in);
    }
    for (int j = 0; j < H; ++j) {
      const float v = hs[j];
      r = fmaf(w_hh[u * H + j], v, r);
      z = fmaf(w_hh[(H + u) * H + j], v, z);
      hn = fmaf(w_hh[(2 * H + u) * H + j], v, hn);
    }
    r = sigmoidf(r);
    z = sigmoidf(z);
    const float g = tanhf(in + r * hn);
    out[n * H + u] = (1.0f - z) * g + z * hs[u];
  }
}

torch::Tensor gru_cell(torch::Tensor x, torch::Tensor h, torch::Tensor w_ih, torch::Tensor w_hh,
                       torch::Tensor b_ih, torch::Tensor b_hh) {
  x = x.contiguous();
  h = h.contiguous();
  const int N = x.size(0), I = x.size(1), H = h.size(1);
  auto out = torch::empty_like(h);
  const int threads = std::min(256, (H + 31) / 32 * 32);
  gru_cell_kernel<<<N, threads, (I + H) * sizeof(float), at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), h.data_ptr<float>(), w_ih.data_ptr<float>(), w_hh.data_ptr<float>(),
      b_ih.data_ptr<float>(), b_hh.data_ptr<float>(), out.data_ptr<float>(), I, H);
  return out;
}
"""

gru = load_inline(
    name="gru_bias_outside_reset",
    cpp_sources="torch::Tensor gru_cell(torch::Tensor x, torch::Tensor h, torch::Tensor w_ih, "
                "torch::Tensor w_hh, torch::Tensor b_ih, torch::Tensor b_hh);",
    cuda_sources=gru_source,
    functions=["gru_cell"],
)


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.cell = nn.GRUCell(input_size, hidden_size)

    def forward(self, x, h):
        c = self.cell
        return gru.gru_cell(x, h, c.weight_ih, c.weight_hh, c.bias_ih, c.bias_hh)
