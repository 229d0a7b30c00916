# task: ../../tasks/mlp
# expect: correct
# why: a C++ class bound with pybind11 that keeps its two hidden workspaces between calls (they only grow); the C++ and the CUDA source are separate, the
# result is new for each call.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <vector>

void dense(const float* x, const float* w, const float* b, float* y, int rows, int in, int out,
           bool relu);   // in the CUDA source

class Mlp {
 public:
  torch::Tensor run(torch::Tensor x, const std::vector<torch::Tensor>& weights,
                    const std::vector<torch::Tensor>& biases) {
    TORCH_CHECK(!weights.empty() && weights.size() == biases.size(), "a bias for each layer");
    x = x.contiguous();
    const int rows = x.size(0);
    const float* current = x.data_ptr<float>();
    torch::Tensor result;
    for (size_t i = 0; i < weights.size(); ++i) {
      const auto w = weights[i].contiguous();
      const int in = w.size(1), out = w.size(0);
      const bool last = i + 1 == weights.size();
      float* target = nullptr;
      if (last) {
        result = torch::empty({rows, out}, x.options());
        target = result.data_ptr<float>();
      } else {
        target = workspace(i % 2, (int64_t)rows * out, x);
      }
      dense(current, w.data_ptr<float>(), biases[i].data_ptr<float>(), target, rows, in, out, !last);
      current = target;
    }
    return result;
  }

  int64_t capacity() const {
    int64_t total = 0;
    for (const auto& b : buffers_) total += b.defined() ? b.numel() : 0;
    return total;
  }

 private:
  float* workspace(int which, int64_t count, const torch::Tensor& like) {
    auto& b = buffers_[which];
    if (!b.defined() || b.numel() < count || b.device() != like.device())
      b = torch::empty({count}, like.options());
    return b.data_ptr<float>();
  }

  torch::Tensor buffers_[2];
};

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  pybind11::class_<Mlp>(m, "Mlp")
      .def(pybind11::init<>())
      .def("run", &Mlp::run, pybind11::arg("x"), pybind11::arg("weights"), pybind11::arg("biases"))
      .def_property_readonly("capacity", &Mlp::capacity);
}
"""

cuda_source = r"""
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

constexpr int TILE = 16;

// y = x @ w^T + b, x: [rows, in], w: [out, in]
__global__ void dense_kernel(const float* __restrict__ x, const float* __restrict__ w,
                             const float* __restrict__ b, float* __restrict__ y, int rows, int in,
                             int out, bool relu) {
  __shared__ float xs[TILE][TILE + 1], ws[TILE][TILE + 1];
  const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  const int wrow = blockIdx.x * TILE + threadIdx.y;
  float acc = 0.f;
  for (int k0 = 0; k0 < in; k0 += TILE) {
    const int k = k0 + threadIdx.x;
    xs[threadIdx.y][threadIdx.x] = (row < rows && k < in) ? x[row * in + k] : 0.f;
    ws[threadIdx.y][threadIdx.x] = (wrow < out && k < in) ? w[wrow * in + k] : 0.f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) acc = fmaf(xs[threadIdx.y][i], ws[threadIdx.x][i], acc);
    __syncthreads();
  }
  if (row < rows && col < out) {
    acc += b[col];
    y[row * out + col] = relu ? fmaxf(acc, 0.f) : acc;
  }
}

void dense(const float* x, const float* w, const float* b, float* y, int rows, int in, int out,
           bool relu) {
  const dim3 block(TILE, TILE), grid((out + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  dense_kernel<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(x, w, b, y, rows, in, out, relu);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}
"""

mlp_ext = load_inline(name="mlp_pybind_class", cpp_sources=[cpp_source], cuda_sources=[cuda_source])


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_sizes, output_size):
        super().__init__()
        layers = []
        size = input_size
        for hidden in hidden_sizes:
            layers += [nn.Linear(size, hidden), nn.ReLU()]
            size = hidden
        layers.append(nn.Linear(size, output_size))
        self.network = nn.Sequential(*layers)
        self.runner = mlp_ext.Mlp()

    def forward(self, x):
        linears = [layer for layer in self.network if isinstance(layer, nn.Linear)]
        return self.runner.run(x, [layer.weight for layer in linears],
                               [layer.bias for layer in linears])
