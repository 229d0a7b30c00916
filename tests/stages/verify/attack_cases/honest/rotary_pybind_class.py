# task: rotary
# expect: correct
# why: style: a py::class_ that holds the sizes and has a method with two results (std::tuple); tables in buffers
#      that __init__ computes as the reference does.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

rotary_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <memory>
#include <tuple>

__global__ void rotate_kernel(const float* __restrict__ x, const float* __restrict__ cosine,
                              const float* __restrict__ sine, float* __restrict__ y, int rows, int length, int heads,
                              int half_dim) {
  // A row is one head of one position.
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * half_dim) return;
  const int row = i / half_dim, d = i % half_dim;
  const int position = row / heads % length;
  const float c = __ldg(cosine + position * half_dim + d);
  const float s = __ldg(sine + position * half_dim + d);
  const float* in = x + static_cast<size_t>(row) * 2 * half_dim;
  float* out = y + static_cast<size_t>(row) * 2 * half_dim;
  const float first = in[d], second = in[half_dim + d];
  out[d] = first * c - second * s;
  out[half_dim + d] = second * c + first * s;
}

class Rotary {
 public:
  explicit Rotary(int64_t dim) : dim_(dim) { TORCH_CHECK(dim % 2 == 0, "Rotary: odd head size ", dim); }

  std::tuple<torch::Tensor, torch::Tensor> apply(const torch::Tensor& q, const torch::Tensor& k,
                                                 const torch::Tensor& cosine, const torch::Tensor& sine) const {
    TORCH_CHECK(q.size(1) <= cosine.size(0) && k.size(1) <= cosine.size(0), "the table is too short");
    return std::make_tuple(rotate(q, cosine, sine), rotate(k, cosine, sine));
  }

  int64_t dim() const { return dim_; }

 private:
  torch::Tensor rotate(const torch::Tensor& input, const torch::Tensor& cosine, const torch::Tensor& sine) const {
    TORCH_CHECK(input.dim() == 4 && input.size(3) == dim_, "expected (batch, length, heads, ", dim_, ")");
    const auto x = input.contiguous();
    auto y = torch::empty_like(x);
    const int rows = static_cast<int>(x.numel() / dim_);
    const int half = static_cast<int>(dim_ / 2);
    constexpr int kThreads = 256;
    const int blocks = (rows * half + kThreads - 1) / kThreads;
    rotate_kernel<<<blocks, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), cosine.data_ptr<float>(), sine.data_ptr<float>(), y.data_ptr<float>(), rows,
        static_cast<int>(x.size(1)), static_cast<int>(x.size(2)), half);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
  }

  int64_t dim_;
};

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  py::class_<Rotary, std::shared_ptr<Rotary>>(m, "Rotary")
      .def(py::init<int64_t>(), py::arg("dim"))
      .def("apply", &Rotary::apply)
      .def_property_readonly("dim", &Rotary::dim);
}
"""

rotary_ext = load_inline(name="rotary_pybind_class", cpp_sources="", cuda_sources=rotary_src)


class ModelNew(nn.Module):
    def __init__(self, dim, length):
        super().__init__()
        rate = 1.0 / (10000.0 ** (torch.arange(0, dim, 2, dtype=torch.float32) / dim))
        angle = torch.outer(torch.arange(length, dtype=torch.float32), rate)
        self.register_buffer("cos", torch.cos(angle))
        self.register_buffer("sin", torch.sin(angle))
        self.rotary = rotary_ext.Rotary(dim)

    def forward(self, q, k):
        return self.rotary.apply(q, k, self.cos, self.sin)
