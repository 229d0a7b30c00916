#include "generators/wording/tensor_text.h"

#include <algorithm>

#include "manifests/printable.h"

namespace kernelmill {
namespace {

struct DtypeSize {
  std::string_view name;
  std::int64_t bytes;
};
constexpr DtypeSize kSizes[] = {
    {"bool", 1},      {"uint8", 1},   {"int8", 1},       {"int16", 2},   {"int32", 4},
    {"int64", 8},     {"float16", 2}, {"bfloat16", 2},   {"float32", 4}, {"float64", 8},
    {"complex64", 8}, {"uint16", 2},  {"complex128", 16}};

}  // namespace

std::string ShapeText(const std::vector<std::int64_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string TensorText(const std::vector<std::int64_t>& shape, const std::string& dtype) {
  return ShapeText(shape) + " " + PrintableLine(dtype);
}

std::vector<std::int64_t> RowMajorStrides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) {
    const std::int64_t size = std::max<std::int64_t>(shape[i], 1);
    if (__builtin_mul_overflow(strides[i], size, &strides[i - 1])) strides[i - 1] = INT64_MAX;
  }
  return strides;
}

std::int64_t ElementsIn(const std::vector<std::int64_t>& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t size : shape) {
    if (__builtin_mul_overflow(elements, size, &elements)) return INT64_MAX;
  }
  return elements;
}

std::int64_t BytesIn(const std::vector<std::int64_t>& shape, const std::string& dtype) {
  for (const DtypeSize& size : kSizes) {
    std::int64_t bytes = 0;
    if (size.name == dtype) {
      const std::int64_t elements = ElementsIn(shape);
      return __builtin_mul_overflow(elements, size.bytes, &bytes) ? INT64_MAX : bytes;
    }
  }
  return 0;
}

}  // namespace kernelmill
