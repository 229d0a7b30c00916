# task: lstm_cell
# expect: correct
# why: both gate products run on two streams; events fork from and join to the current stream before the pointwise kernel
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_cpp = """
std::tuple<torch::Tensor, torch::Tensor> lstm_cell(torch::Tensor x, torch::Tensor h, torch::Tensor c, torch::Tensor w_ih,
                                                   torch::Tensor w_hh, torch::Tensor b_ih, torch::Tensor b_hh);
"""

_cuda = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

namespace {

struct SideStream {
  cudaStream_t stream;
  cudaEvent_t forked, joined;
  SideStream() {
    C10_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    C10_CUDA_CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    C10_CUDA_CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  }
};

SideStream& side() {
  static SideStream instance;  // lives until the process ends
  return instance;
}

// out[b][g] = bias[g] + sum_k in[b][k] * w[g][k]; one warp per output, lanes along k
__global__ void gates(const float* __restrict__ in, const float* __restrict__ w, const float* __restrict__ bias,
                      float* __restrict__ out, int batch, int n, int k) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= batch * n) return;
  const int b = warp / n, g = warp % n;
  float sum = 0.f;
  for (int i = lane; i < k; i += 32) sum += in[b * k + i] * w[g * k + i];
  for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(0xffffffff, sum, mask);
  if (lane == 0) out[b * n + g] = sum + bias[g];
}

__device__ float logistic(float v) { return 1.f / (1.f + expf(-v)); }

__global__ void combine(const float* __restrict__ gi, const float* __restrict__ gh, const float* __restrict__ c,
                        float* __restrict__ h_next, float* __restrict__ c_next, int batch, int hidden) {
  const int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= batch * hidden) return;
  const int b = idx / hidden, j = idx % hidden;
  const int at = b * 4 * hidden + j;
  const float i = logistic(gi[at] + gh[at]);
  const float f = logistic(gi[at + hidden] + gh[at + hidden]);
  const float g = tanhf(gi[at + 2 * hidden] + gh[at + 2 * hidden]);
  const float o = logistic(gi[at + 3 * hidden] + gh[at + 3 * hidden]);
  const float next = f * c[idx] + i * g;
  c_next[idx] = next;
  h_next[idx] = o * tanhf(next);
}

int blocks_for(int warps) { return (warps * 32 + 255) / 256; }

}  // namespace

std::tuple<torch::Tensor, torch::Tensor> lstm_cell(torch::Tensor x, torch::Tensor h, torch::Tensor c, torch::Tensor w_ih,
                                                   torch::Tensor w_hh, torch::Tensor b_ih, torch::Tensor b_hh) {
  const int batch = x.size(0), input = x.size(1), hidden = h.size(1), n = 4 * hidden;
  TORCH_CHECK(w_ih.size(0) == n && w_hh.size(0) == n);
  auto gi = torch::empty({batch, n}, x.options()), gh = torch::empty({batch, n}, x.options());
  auto h_next = torch::empty_like(h), c_next = torch::empty_like(c);
  const cudaStream_t main = at::cuda::getCurrentCUDAStream();
  SideStream& s = side();

  C10_CUDA_CHECK(cudaEventRecord(s.forked, main));
  C10_CUDA_CHECK(cudaStreamWaitEvent(s.stream, s.forked, 0));
  gates<<<blocks_for(batch * n), 256, 0, s.stream>>>(h.data_ptr<float>(), w_hh.data_ptr<float>(), b_hh.data_ptr<float>(),
                                                     gh.data_ptr<float>(), batch, n, hidden);
  C10_CUDA_CHECK(cudaEventRecord(s.joined, s.stream));
  gates<<<blocks_for(batch * n), 256, 0, main>>>(x.data_ptr<float>(), w_ih.data_ptr<float>(), b_ih.data_ptr<float>(),
                                                 gi.data_ptr<float>(), batch, n, input);
  C10_CUDA_CHECK(cudaStreamWaitEvent(main, s.joined, 0));
  combine<<<(batch * hidden + 127) / 128, 128, 0, main>>>(gi.data_ptr<float>(), gh.data_ptr<float>(), c.data_ptr<float>(),
                                                          h_next.data_ptr<float>(), c_next.data_ptr<float>(), batch, hidden);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return std::make_tuple(h_next, c_next);
}
"""

cell_ext = load_inline(name="lstm_cell_streams", cpp_sources=_cpp, cuda_sources=_cuda, functions=["lstm_cell"])


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.cell = nn.LSTMCell(input_size, hidden_size)

    def forward(self, x, h, c):
        p = self.cell
        return cell_ext.lstm_cell(x, h, c, p.weight_ih, p.weight_hh, p.bias_ih, p.bias_hh)
