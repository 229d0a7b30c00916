# task: pixel_shuffle
# expect: correct
# why: a plan object works out the strides of both views once; every output element is a copy of one input element
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_cuda = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <array>
#include <numeric>
#include <vector>

// Sizes of the output as (n, c, h, i, w, j) and the stride of the input for each of them.
struct Strides {
  int size[6];
  int step[6];
};

__global__ void strided_copy(const float* __restrict__ in, float* __restrict__ out, int count, Strides s) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int rest = i, from = 0;
#pragma unroll
  for (int d = 5; d >= 0; --d) {
    from += rest % s.size[d] * s.step[d];
    rest /= s.size[d];
  }
  out[i] = in[from];
}

static std::vector<int64_t> contiguous_strides(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (int d = static_cast<int>(sizes.size()) - 2; d >= 0; --d) strides[d] = strides[d + 1] * sizes[d + 1];
  return strides;
}

class ShufflePlan {
 public:
  explicit ShufflePlan(int64_t factor) : factor_(factor) { TORCH_CHECK(factor > 0, "factor must be positive"); }

  int64_t factor() const { return factor_; }

  torch::Tensor run(torch::Tensor x) const {
    const int64_t r = factor_, n = x.size(0), c = x.size(1) / (r * r), h = x.size(2), w = x.size(3);
    TORCH_CHECK(x.size(1) % (r * r) == 0, "channels must be a multiple of the squared factor");
    // input as (n, c, i, j, h, w)
    const std::vector<int64_t> from = contiguous_strides({n, c, r, r, h, w});
    const std::array<int64_t, 6> sizes = {n, c, h, r, w, r};
    const std::array<int64_t, 6> steps = {from[0], from[1], from[4], from[2], from[5], from[3]};
    Strides s;
    for (size_t d = 0; d < sizes.size(); ++d) {
      s.size[d] = static_cast<int>(sizes[d]);
      s.step[d] = static_cast<int>(steps[d]);
    }
    auto out = torch::empty({n, c, h * r, w * r}, x.options());
    const int count = std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<int64_t>());
    strided_copy<<<(count + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), count, s);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
  }

 private:
  int64_t factor_;
};

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  py::class_<ShufflePlan>(m, "ShufflePlan")
      .def(py::init<int64_t>(), py::arg("factor"))
      .def_property_readonly("factor", &ShufflePlan::factor)
      .def("run", &ShufflePlan::run, py::arg("x"));
}
"""

plans = load_inline(name="pixel_shuffle_plans", cpp_sources="", cuda_sources=_cuda)


class ModelNew(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.plan = plans.ShufflePlan(factor)

    def forward(self, x):
        return self.plan.run(x)
