#include "stages/verify/reference/encoded_inputs.h"

#include <algorithm>

namespace kernelmill {
namespace {

// Calls use(shape) for the shape of each tensor.
template <typename Use>
void ForEachShape(const Json& inputs, const Use& use) {
  if (inputs.is_array()) {
    for (const Json& item : inputs.as_array()) ForEachShape(item, use);
  } else if (inputs.is_object()) {
    const Json* const shape = inputs.Find("shape");
    if (shape != nullptr && shape->is_array()) return use(shape->as_array());
    for (const auto& [name, item] : inputs.as_object()) ForEachShape(item, use);
  }
}

}  // namespace

std::size_t LargestRank(const Json& inputs) {
  std::size_t rank = 0;
  ForEachShape(inputs, [&](const Json::Array& shape) { rank = std::max(rank, shape.size()); });
  return rank;
}

std::int64_t CountElements(const Json& inputs) {
  std::int64_t all = 0;
  ForEachShape(inputs, [&](const Json::Array& shape) {
    std::int64_t elements = 1;
    for (const Json& size : shape) {
      if (!size.is_int() || __builtin_mul_overflow(elements, size.as_int(), &elements)) {
        elements = INT64_MAX;
        break;
      }
    }
    if (__builtin_add_overflow(all, elements, &all)) all = INT64_MAX;
  });
  return all;
}

}  // namespace kernelmill
