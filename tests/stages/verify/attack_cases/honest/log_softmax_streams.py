# task: log_softmax_rows
# expect: correct
# why: halves of the rows on two streams, joined by events
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA_SRC = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <array>
#include <memory>

#define CHECK_CUDA(e) do { cudaError_t r = (e); if (r != cudaSuccess) throw std::runtime_error(cudaGetErrorString(r)); } while (0)

// Side streams that are created once; fork() and join() order them against the caller's stream.
class StreamPair {
 public:
  StreamPair() {
    int least = 0, greatest = 0;
    CHECK_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    for (auto& s : streams_) CHECK_CUDA(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, greatest));
    for (auto& e : done_) CHECK_CUDA(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    CHECK_CUDA(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming));
  }
  StreamPair(const StreamPair&) = delete;
  StreamPair& operator=(const StreamPair&) = delete;
  void fork(cudaStream_t from) {
    CHECK_CUDA(cudaEventRecord(ready_, from));
    for (auto s : streams_) CHECK_CUDA(cudaStreamWaitEvent(s, ready_, 0));
  }
  void join(cudaStream_t to) {
    for (size_t i = 0; i < streams_.size(); ++i) {
      CHECK_CUDA(cudaEventRecord(done_[i], streams_[i]));
      CHECK_CUDA(cudaStreamWaitEvent(to, done_[i], 0));
    }
  }
  cudaStream_t operator[](int i) const { return streams_[i]; }
  int size() const { return (int)streams_.size(); }

 private:
  std::array<cudaStream_t, 2> streams_{};
  std::array<cudaEvent_t, 2> done_{};
  cudaEvent_t ready_{};
};

// A warp a row.
__global__ void log_softmax_warp(const float* __restrict__ in, float* __restrict__ out, int rows, int cols) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  const int lane = threadIdx.x & 31;
  if (row >= rows) return;
  in += (size_t)row * cols;
  out += (size_t)row * cols;
  float m = -INFINITY, s = 0.f;
  for (int c = lane; c < cols; c += 32) {
    const float v = in[c];
    if (v > m) { s *= expf(m - v); m = v; }
    s += expf(v - m);
  }
  for (int o = 16; o > 0; o >>= 1) {
    const float om = __shfl_xor_sync(0xFFFFFFFF, m, o), os = __shfl_xor_sync(0xFFFFFFFF, s, o);
    const float nm = fmaxf(m, om);
    if (nm != -INFINITY) s = s * expf(m - nm) + os * expf(om - nm);
    m = nm;
  }
  const float lse = m + logf(s);
  for (int c = lane; c < cols; c += 32) out[c] = in[c] - lse;
}

torch::Tensor log_softmax_cuda(torch::Tensor x) {
  TORCH_CHECK(x.is_contiguous());
  static StreamPair pair;  // lives as long as the process
  auto y = torch::empty_like(x);
  const int rows = x.size(0), cols = x.size(1);
  auto current = at::cuda::getCurrentCUDAStream();
  pair.fork(current);
  const int chunk = (rows + pair.size() - 1) / pair.size();
  for (int i = 0; i < pair.size(); ++i) {
    const int first = i * chunk, count = std::min(chunk, rows - first);
    if (count <= 0) continue;
    log_softmax_warp<<<(count + 3) / 4, 128, 0, pair[i]>>>(x.data_ptr<float>() + (size_t)first * cols,
                                                        y.data_ptr<float>() + (size_t)first * cols, count, cols);
    CHECK_CUDA(cudaGetLastError());
  }
  pair.join(current);
  return y;
}
"""

lib = load_inline(name="h07_logsoftmax_streams", cpp_sources="torch::Tensor log_softmax_cuda(torch::Tensor x);",
                  cuda_sources=CUDA_SRC, functions=["log_softmax_cuda"], extra_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self):
        super(ModelNew, self).__init__()
        self.op = lib

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.op.log_softmax_cuda(x.contiguous())
