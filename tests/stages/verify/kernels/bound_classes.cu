// Classes that an extension binds: constructors, methods, properties, static functions.
#include <torch/extension.h>
#include <memory>

__global__ void scale_kernel(const float* x, float* y, float factor, float offset, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i] + offset;
}

class Scale {
 public:
  explicit Scale(double factor, double offset = 0.0) : factor_(factor), offset_(offset) {
    TORCH_CHECK(factor != 0.0, "the factor is 0");
  }
  torch::Tensor run(torch::Tensor x) const {
    auto y = torch::empty_like(x);
    const int n = x.numel();
    scale_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), factor_,
                                           offset_, n);
    return y;
  }
  std::tuple<torch::Tensor, double> both(const torch::Tensor& x, int64_t times) {
    auto y = x;
    for (int64_t i = 0; i < times; ++i) y = run(y);
    return {y, factor_};
  }
  double factor() const { return factor_; }
  void set_factor(double factor) { factor_ = factor; }
  int64_t level = 3;

 private:
  double factor_, offset_;
};
struct Sizes {
  int rows, columns;
};
torch::Tensor apply(const Scale& scale, std::shared_ptr<Sizes> sizes, torch::Tensor x) {
  return scale.run(x).view({sizes->rows, sizes->columns});
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  py::class_<Scale, std::shared_ptr<Scale>>(m, "Scale", "y = factor * x + offset")
      .def(py::init<double, double>(), py::arg("factor"), py::arg("offset") = 0.0)
      .def("run", &Scale::run, py::arg("x"))
      .def("both", &Scale::both, py::arg("x"), py::arg("times") = 2)
      .def("__call__", [](const Scale& scale, torch::Tensor x) { return scale.run(x); })
      .def_property_readonly("factor", &Scale::factor)
      .def_property("changed", &Scale::factor, &Scale::set_factor)
      .def_readwrite("level", &Scale::level)
      .def_static("twice", [](double factor) { return std::make_shared<Scale>(2 * factor); });
  py::class_<Sizes>(m, "Sizes").def(py::init([](int rows, int columns) {
    return std::make_unique<Sizes>(Sizes{rows, columns});
  })).def_readonly("rows", &Sizes::rows);
  m.def("apply", &apply);
}
