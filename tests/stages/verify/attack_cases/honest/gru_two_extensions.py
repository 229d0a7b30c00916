# task: ../../tasks/gru_cell
# expect: correct
# why: two extensions: a small product (x @ W^T + b) used for both sides, and the pointwise gates; b_hn lies inside the reset gate's product.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

linear_ext = load_inline(
    name="gru_linear_part",
    cpp_sources="torch::Tensor linear(torch::Tensor x, torch::Tensor w, torch::Tensor b);",
    cuda_sources=r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

// a warp for each value of the result
__global__ void linear_kernel(const float* __restrict__ x, const float* __restrict__ w,
                              const float* __restrict__ b, float* __restrict__ y, int N, int I, int O) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  const int lane = threadIdx.x & 31;
  if (warp >= N * O) return;
  const int n = warp / O, o = warp % O;
  float acc = 0.f;
  for (int i = lane; i < I; i += 32) acc = fmaf(x[n * I + i], w[o * I + i], acc);
  for (int s = 16; s > 0; s >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, s);
  if (lane == 0) y[n * O + o] = acc + b[o];
}

torch::Tensor linear(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  x = x.contiguous();
  w = w.contiguous();
  const int N = x.size(0), I = x.size(1), O = w.size(0);
  auto y = torch::empty({N, O}, x.options());
  const int warps = N * O;
  linear_kernel<<<(warps + 3) / 4, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), N, I, O);
  return y;
}
""",
    functions=["linear"],
)

gates_ext = load_inline(
    name="gru_gates_part",
    cpp_sources="torch::Tensor gates(torch::Tensor gi, torch::Tensor gh, torch::Tensor h);",
    cuda_sources=r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__device__ float logistic(float v) { return 1.0f / (1.0f + expf(-v)); }

__global__ void gates_kernel(const float* __restrict__ gi, const float* __restrict__ gh,
                             const float* __restrict__ h, float* __restrict__ out, int N, int H) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= N * H) return;
  const int n = t / H, u = t % H;
  const float* a = gi + (size_t)n * 3 * H;
  const float* b = gh + (size_t)n * 3 * H;
  const float r = logistic(a[u] + b[u]);
  const float z = logistic(a[H + u] + b[H + u]);
  const float g = tanhf(a[2 * H + u] + r * b[2 * H + u]);
  out[t] = g + z * (h[t] - g);
}

torch::Tensor gates(torch::Tensor gi, torch::Tensor gh, torch::Tensor h) {
  h = h.contiguous();
  auto out = torch::empty_like(h);
  const int N = h.size(0), H = h.size(1);
  gates_kernel<<<(N * H + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
      gi.data_ptr<float>(), gh.data_ptr<float>(), h.data_ptr<float>(), out.data_ptr<float>(), N, H);
  return out;
}
""",
    functions=["gates"],
)


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.cell = nn.GRUCell(input_size, hidden_size)

    def forward(self, x, h):
        cell = self.cell
        gi = linear_ext.linear(x, cell.weight_ih, cell.bias_ih)
        gh = linear_ext.linear(h, cell.weight_hh, cell.bias_hh)
        return gates_ext.gates(gi, gh, h)
