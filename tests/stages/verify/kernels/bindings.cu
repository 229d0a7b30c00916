// Argument and result types that bindings pass between Python and C++.
#include <torch/extension.h>

#include <map>
#include <optional>

torch::Tensor scalars(torch::Tensor x, int a, int64_t b, float c, double d, bool e, unsigned f,
                      size_t g) {
  return x * 0 + torch::tensor({double(a), double(b), double(c), d, double(e), double(f), double(g)});
}
std::string text(const std::string& a, std::string b, const char* c) { return a + b + c; }
int64_t count(std::vector<torch::Tensor> tensors, const std::vector<int64_t>& sizes,
              at::IntArrayRef more, std::vector<double> numbers) {
  int64_t total = sizes.size() * 100 + more.size() * 10 + numbers.size();
  for (auto& tensor : tensors) total += tensor.numel() * 1000;
  return total;
}
std::string optional(c10::optional<torch::Tensor> a, std::optional<int64_t> b,
                     const c10::optional<at::Tensor>& c) {
  return std::string(a ? "a" : "-") + (b ? std::to_string(*b) : "-") +
         (c.has_value() && c->defined() ? "c" : "-");
}
std::tuple<torch::Tensor, int, std::vector<torch::Tensor>, bool, std::string> many(torch::Tensor x) {
  return {x + 1, 7, {x, x}, true, "text"};
}
std::pair<double, at::Tensor> two(const at::Tensor& x) { return {0.5, x}; }
int sum(std::tuple<int, int> a, std::pair<int, double> b, std::array<int, 3> c) {
  return std::get<0>(a) + 10 * std::get<1>(a) + 100 * b.first + 1000 * int(b.second) + 10000 * c[2];
}
bool is_null(const float* p) { return p == nullptr; }
void in_place(torch::Tensor& x, at::Scalar by) { x.add_(by); }
torch::Tensor typed(torch::Tensor x, at::ScalarType dtype) { return x.to(dtype); }
void throws() { TORCH_CHECK(false, "on purpose"); }
void throws_standard() { throw std::invalid_argument("also on purpose"); }
torch::Tensor undefined() { return torch::Tensor(); }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("scalars", &scalars);
  m.def("text", &text);
  m.def("count", &count);
  m.def("optional", &optional, py::arg("a") = py::none(), py::arg("b") = std::nullopt,
        pybind11::arg("c") = c10::nullopt);
  m.def("many", &many, py::call_guard<py::gil_scoped_release>());
  m.def("two", two);
  m.def("sum", &sum);
  m.def("is_null", &is_null);
  m.def("in_place", &in_place);
  m.def("typed", &typed);
  m.def("throws", &throws);
  m.def("throws_standard", &throws_standard);
  m.def("undefined", &undefined);
  m.def("lambda", [](torch::Tensor x, int64_t n) { return x * n; }, "doc", py::arg("x"),
        py::arg("n") = 3);
}
